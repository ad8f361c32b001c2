import type { Outcome } from "../../problem.ts";
import type { Settings } from "../settings.ts";
import type { BatchOptions, Caller, RegistryView } from "../types.ts";
import type { EntryRequest } from "./entry-request.ts";

/** For whom a bundle is performed, and what each entry is performed with. */
export interface BatchContext {
  readonly settings: Settings;
  readonly caller: Caller;
  readonly view: RegistryView;
  readonly options: BatchOptions;
}

/** What an idempotency key of an entry stands for: as it was sent, whatever its placeholders come to. */
export interface KeyedRequest {
  readonly key: string;
  readonly method: string;
  /** Written the same way however the url was encoded. */
  readonly target: string;
  /** The body as compact JSON. */
  readonly body: string;
}

/** A bundle understood: what each entry asks for, or why that can't be. */
export interface Plan {
  readonly requests: readonly Outcome<EntryRequest>[];
  /** The entries, each after those that it refers to. */
  readonly order: readonly number[];
  /** The entries that have an idempotency key of their own, by place. */
  readonly keyed: ReadonlyMap<number, KeyedRequest>;
  /** What entries say of their authors' clocks, by place. */
  readonly skews: ReadonlyMap<number, number>;
  /** Whether an entry names another one by its placeholder. */
  refers(entry: number): boolean;
  /**
   * As in `requests`, but that placeholders stand for what was written in truth.
   *
   * @param written printed references by entry
   */
  request(entry: number, written: ReadonlyMap<number, string>): Outcome<EntryRequest> | undefined;
}
