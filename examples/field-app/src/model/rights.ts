import { scopeOf } from "@fieldroll/core";
import type { Route } from "../route.ts";
import { texts } from "../texts.ts";

/** What a sign-in may see and change on the server. */
export interface Rights {
  /** Households and people. */
  readonly seesRecords: boolean;
  readonly changesRecords: boolean;
  /** Programs, and who is enrolled in them. */
  readonly seesPrograms: boolean;
  readonly changesPrograms: boolean;
}

/**
 * The rights that scopes give.
 *
 * @param scopes `null` where they are not known: then nothing is withheld, and the server decides
 */
export function rightsOf(scopes: readonly string[] | null): Rights {
  const has = (scope: string) => scopes === null || scopes.includes(scope);
  return {
    seesRecords: has(scopeOf("Group", "read")),
    changesRecords: has(scopeOf("Group", "write")),
    seesPrograms: has(scopeOf("Program", "read")),
    changesPrograms: has(scopeOf("Program", "write")),
  };
}

/** Whether what is done to a record of a type can be sent, the type being the start of its reference. */
export function mayChange(reference: string, rights: Rights): boolean {
  return reference.startsWith("Program") ? rights.changesPrograms : rights.changesRecords;
}

/** What the first screen says of a sign-in that may not do all the work of the field. */
export function limitText({ seesRecords, changesRecords, changesPrograms }: Rights): string | undefined {
  if (!seesRecords) return texts.rights.unseen;
  if (changesRecords) return undefined;
  return changesPrograms ? texts.rights.recordsReadOnly : texts.rights.readOnly;
}

const recordForms: readonly Route["screen"][] = [
  "register",
  "edit-household",
  "edit-person",
  "add-member",
  "member",
];

/** Whether a screen is for changes that this sign-in can't send. */
export function isInVain({ screen }: Route, { changesRecords, changesPrograms }: Rights): boolean {
  if (screen === "enroll" || screen === "edit-enrollment") return !changesPrograms;
  return recordForms.includes(screen) && !changesRecords;
}
