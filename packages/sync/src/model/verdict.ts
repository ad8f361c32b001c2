import type { FieldError, JsonObject } from "@fieldroll/core";
import type { Housed } from "../types.ts";
import type { There } from "./naming.ts";
import type { Park } from "./park.ts";

/** What became of a request, once that is known; or that it is not. */
export type Verdict =
  /** The server made the change, now or at an earlier attempt; `record` is its answer, in stored form. */
  | { readonly kind: "accepted"; readonly record: JsonObject; readonly recordKey?: string | undefined }
  /** Another version was there; `theirs` was fetched since, in stored form. */
  | {
      readonly kind: "conflict";
      readonly theirs: JsonObject;
      /** Whether an earlier attempt may have made the change all the same. */
      readonly doubtful?: boolean;
      /** Whom that means. */
      readonly there?: There;
    }
  /** An identifier or a pair is taken; `theirs` is the record that has it, where this caller may see it. */
  | {
      readonly kind: "duplicate";
      readonly detail: string;
      readonly existing: string | null;
      readonly theirs: JsonObject | null;
      /** The server's key of that record, where it told it. */
      readonly recordKey?: string | undefined;
      /** Whether it carries an identifier that this device made for this record. */
      readonly own: boolean;
      /** Whether it was another request that made the record: this one never left before, or the server would have answered it as then. */
      readonly byOther?: boolean;
      /** Whether this request may have made it, so that only a person sends it again. */
      readonly isMade?: boolean;
    }
  | {
      readonly kind: "rejected";
      readonly detail: string;
      readonly errors: readonly FieldError[];
      readonly households?: readonly Housed[];
      /** Where nobody refused it: see {@link Park}. */
      readonly again?: Park["again"] & object;
    }
  | { readonly kind: "forbidden"; readonly detail: string }
  | { readonly kind: "gone"; readonly detail: string }
  /** Not known. `nextAttemptAt` puts this entry off; `null` leaves the timing to the engine. */
  | {
      readonly kind: "unknown";
      readonly detail: string;
      readonly nextAttemptAt: string | null;
      /** Whether the request has been tried for so long that one that a person's correction changes takes its place. */
      readonly isOld?: boolean;
    };

/** Systems in which devices make identifiers; nobody else can have made the same UUID. */
export const deviceSystem = /^urn:[^:]+:(registrant|group|program-membership)$/;

/** What was edited waits for news of its record: that tells what it is called now. */
export const anothersName: Verdict & { readonly kind: "gone" } = {
  kind: "gone",
  detail:
    "The identifier of this record is another record's by now; your edits are kept here. They go on when a sync tells what this one is called now.",
};

/** A change names the version that it replaces: nobody can change a record whose versions consents hide. */
export const withoutVersion: Verdict & { readonly kind: "rejected" } = {
  kind: "rejected",
  detail:
    "You are shown this record without its version, so you can't change it. Ask for a consent that shows more of it, or discard the change.",
  errors: [],
};
