import { identifiersOf, type JsonObject } from "@fieldroll/core";
import { sameContent, tellsVersion } from "./content.ts";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { endAll } from "./rebase.ts";
import { type Choices, type Judge, merged, type Refused, refused } from "./resolve.ts";
import type { EndedEdit } from "./settled.ts";
import { deviceSystem, withoutVersion } from "./verdict.ts";

/** A record that was made here, as an edit of the one that is registered already. */
export interface Adopted {
  readonly kind: "adopted";
  /** The other record as the server has it. */
  readonly theirs: JsonObject;
  /** What is left to send of the other record; `null` when that says it all. */
  readonly entry: OutboxEntry | null;
  /** The other record as it is shown from now on. */
  readonly record: JsonObject;
  /** How the edits of the record made here ended. */
  readonly ended: readonly EndedEdit[];
}

/** Who decides on it and when, the new edit's id, the other record's key on this device, and what judges the outcome. */
export interface Adopting {
  readonly key: string;
  readonly by: string;
  /** UTC instant. */
  readonly at: string;
  readonly id: string;
  readonly judge: Judge;
}

/**
 * Makes a duplicate the record that is registered already: what was entered here is merged into it, as if there had been nothing
 * before. The identifier that this device made for its record is not one of that person's, and goes.
 */
export function adopt(
  entry: OutboxEntry,
  local: JsonObject,
  choices: Choices,
  { key, by, at, id, judge }: Adopting,
): Adopted | Refused {
  const { type, base, parked, edits, epoch } = entry;
  if (parked?.reason !== "duplicate") return refused("This record does not wait because of another one.");
  if (base) {
    return refused(
      "Both records are on the server. Give this one another identifier, or discard the change.",
    );
  }
  const { theirs } = parked;
  if (!theirs) {
    return refused("You are not shown the other record. Give this one another identifier, or discard it.");
  }
  if (!tellsVersion(theirs)) return refused(withoutVersion.detail);
  const result = merged(entry, { local: withoutOwnIdentifier(local, theirs), theirs }, { choices, judge });
  if (result.kind === "refused") return result;
  const { record } = result;
  const change = { type, key, before: theirs, after: record, by, at };
  return {
    kind: "adopted",
    theirs,
    entry: sameContent(theirs, record)
      ? null
      : { ...addEdit(null, change, id), ...(epoch !== undefined && { epoch }) },
    record,
    ended: endAll(edits, "adopted"),
  };
}

function withoutOwnIdentifier(local: JsonObject, theirs: JsonObject): JsonObject {
  const known = new Set(identifiersOf(theirs).map(({ system, value }) => `${system}|${value}`));
  const identifier = identifiersOf(local).filter(
    ({ system, value }) => !deviceSystem.test(system) || known.has(`${system}|${value}`),
  );
  return { ...local, identifier };
}
