import type { DocumentKey, StoreFault } from "../store/port.ts";

/** What about a document is wrong. */
export type FindingKind =
  /** It has not the form of its kind, or says what no writer may say. */
  | "body"
  /** What it declares is not what its body gives. */
  | "claims"
  | "entries"
  | "feeds"
  /** It refers to a document that is not there, or that is not called so. */
  | "reference"
  /** The audit trail does not lead to its version. */
  | "history"
  /** The money that is counted is not what the entitlements take. */
  | "fund"
  /** What the store keeps beside its documents does not agree with them, or its medium is damaged. */
  | "store";

/** One thing that is wrong in a store. Its message names members and indexes, never a value of a record. */
export interface Finding {
  /** Both empty where it is about the store as a whole. */
  readonly collection: string;
  readonly key: string;
  readonly kind: FindingKind;
  /** What was found and what was expected, as a sentence. */
  readonly message: string;
}

/** A thing that is wrong with a document that is at hand. */
export type Fault = Pick<Finding, "kind" | "message">;

/** The finding of a fault in a document. */
export function findingOf({ collection, key }: DocumentKey, fault: Fault): Finding {
  return { collection, key, ...fault };
}

/** What the store told of its own. */
export function storeFinding({ about, at, message }: StoreFault): Finding {
  return {
    collection: at?.collection ?? "",
    key: at?.key ?? "",
    kind: "store",
    message: `${about}: ${message}`,
  };
}
