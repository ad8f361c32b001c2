import type { Store, UpkeepConfig } from "@fieldroll/core";
import type { Logger } from "pino";
import { signingKeyKind } from "../oauth/signing-keys.ts";
import { storedClientKind } from "../oauth/stored-clients.ts";
import { integerIdKind } from "../v1/integer-ids.ts";
import { logProgress } from "./progress.ts";
import { registryConfig } from "./registry.ts";

/** The registry of a command, and what a server keeps beside it, to look after. */
export function upkeepOf(store: Store): UpkeepConfig {
  return { ...registryConfig(store), furtherKinds: [storedClientKind, signingKeyKind, integerIdKind] };
}

/** Tells now and then how many documents are done. */
export function progressOf(log: Logger, message: string): (done: number) => void {
  const tell = logProgress(log, { message, step: 20_000 });
  return (done) => tell(done);
}
