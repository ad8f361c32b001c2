import type { Document, DocumentKey, StoredDocument } from "../store/port.ts";
import type { Fault } from "./finding.ts";

/** A document that another one stands on, as far as checks look at it. */
export interface Target {
  readonly version: number;
  /** The version that callers know: of a record its `versionId`, else the document's. */
  readonly shown: number;
  /** What it is called: raw references. */
  readonly names: readonly string[];
  /** Of a record: its content, without a photo. */
  readonly record?: StoredDocument["body"];
}

/** Targets by `joinedKey`. What is not there is not in it. */
export type Targets = ReadonlyMap<string, Target>;

/** That a document leads to another. */
export interface KeptReference {
  /** Where it leads; of several, one is there. */
  readonly to: readonly DocumentKey[];
  /** The name by which it calls its target, a raw reference. Default: it calls it by its key. */
  readonly name?: string;
  /** The least version that its target must have. */
  readonly atLeast?: number;
  /** Whether what the target says decides what the document declares. */
  readonly decides?: boolean;
  /** What it is to the document, such as `/beneficiary`. */
  readonly what: string;
}

/** What a document declares about itself. */
export type Declared = Required<Pick<Document, "claims" | "entries" | "feeds">>;

/** How the audit trail tells of a document. */
export interface Trailed {
  /** As the trail calls it: `Type/<key>`. */
  readonly record: string;
  readonly version: number;
  /** Instant of its last change, where it says so. */
  readonly at?: string;
}

/** One kind of document that a registry keeps: what its body gives, and what must hold of it. */
export interface KeptKind {
  readonly collection: string;
  /**
   * Whether callers know the version of the document, so that it counts changes of the body alone. Default: it counts every
   * write, and the version that callers know is in the body.
   */
  readonly showsVersion?: boolean;
  /** What is wrong with the body; pure. A body that can't be understood at all may throw. */
  bodyFaults?(document: StoredDocument): readonly string[];
  references?(document: StoredDocument): readonly KeptReference[];
  /** What the document is to declare, by its body and what that stands on. */
  declared(document: StoredDocument, targets: Targets): Declared;
  /** Where the audit trail tells of it. Default: nowhere. */
  trail?(document: StoredDocument): Trailed;
  /** Whether its trail has entries that the index takes for reads: those without a way back. */
  readonly erases?: boolean;
  /** What only a look at other documents tells. */
  further?(document: StoredDocument): Promise<readonly Fault[]>;
}

/** The parts of a document that declare something, whole. */
export function declaredIn({ claims = [], entries = {}, feeds = [] }: Partial<Document>): Declared {
  return { claims, entries, feeds };
}

/** A kind whose documents declare nothing. */
export function plainKind(
  collection: string,
  more: Omit<KeptKind, "collection" | "declared"> = {},
): KeptKind {
  return { collection, declared: () => declaredIn({}), ...more };
}
