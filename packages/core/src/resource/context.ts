import type { z } from "zod";
import type { nearestInRecord } from "./nearest-name.ts";
import type { ResourceType } from "./types.ts";

/** The codes of one system. */
export interface Vocabulary {
  readonly codes: readonly string[];
  /** An open list suggests codes and accepts others. Default: closed. */
  readonly open?: boolean;
}

/**
 * Vocabularies by system. A system that is not listed is open. The list of `urn:<namespace>:vocab:identifier-system`,
 * when given, holds the identifier systems that are accepted.
 */
export type Vocabularies = Readonly<Record<string, Vocabulary>>;

/** What validation depends on besides the body. */
export interface SchemaContext {
  /** Today's date, `YYYY-MM-DD`, where the deployment is. */
  readonly today: () => string;
  /** Replaces `service` in `urn:service:…`. */
  readonly namespace: string;
  readonly vocabularies?: Vocabularies;
  readonly extensions?: readonly ExtensionDeclaration[];
  /** Adds to the faults of a record what may have been meant. A device does without: people do not write the names of members there. */
  readonly explain?: typeof nearestInRecord;
}

/** An extension that a module adds to records: specification, "Extensions". */
export interface ExtensionDeclaration {
  /** Its member name in `extension`. */
  readonly name: string;
  /** Default `urn:<namespace>:extension:<name>`. */
  readonly url?: string;
  /** The module that offers it. */
  readonly module: string;
  readonly appliesTo: readonly ResourceType[];
  /** The module's fields, without `url`. A strict object refuses other fields. Arrays are declared by `list(element, most)`. */
  readonly schema: z.ZodObject;
}
