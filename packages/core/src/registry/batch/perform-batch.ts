import type { Outcome } from "../../problem.ts";
import { notYet } from "../not-yet.ts";
import type { RegistryView, TransactionOptions } from "../types.ts";
import type { BatchAnswer } from "./types.ts";

/** Performs a bundle of requests: contract section 5, `$batch`. */
export async function performBatch(
  _view: RegistryView,
  _bundle: unknown,
  _options: TransactionOptions,
): Promise<Outcome<BatchAnswer>> {
  return notYet();
}
