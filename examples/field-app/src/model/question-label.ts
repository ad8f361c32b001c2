import { isJsonObject, type Json, type JsonObject, merge, resourceShapes, sameJson } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { fieldLabel, type NameOf, valueAt } from "./conflict-text.ts";
import { nameOrKind } from "./unknown.ts";

/**
 * What each place of a record that waits for a decision is called, by its path; of a member of a household with the name, for there
 * are several of them.
 */
export function questionLabels(parked: ParkedRecord, nameOf: NameOf): (path: string) => string {
  const { type, base, ours, theirs } = parked;
  const shape = resourceShapes[type];
  // Paths lead into the merged record.
  const merged = theirs && merge({ base, ours, theirs, shape }).merged;
  return (path) => {
    const label = fieldLabel(path);
    const places = parked.conflicts.find((each) => each.path === path)?.together ?? [path];
    const members = new Set(places.flatMap((place) => (merged && memberAt(place, merged, parked)) ?? []));
    const names = [...members].map((member) => nameOrKind(nameOf(member), member));
    const [name] = names;
    // One choice decides on all of them, such as two who were made the head.
    if (names.length > 1) return texts.parked.ofMembers(names);
    return name === undefined ? label : texts.parked.ofMember(label, name);
  };
}

/** The reference of the member that a path leads to; none where the path is of no member, or leads past those that are left. */
function memberAt(path: string, merged: JsonObject, { conflicts }: ParkedRecord): string | undefined {
  const [item] = /^\/member\/\d+/.exec(path) ?? [];
  const member = item && valueAt(merged, item);
  const conflict = conflicts.find((each) => each.path === path);
  // The merged record has ours at a conflict: else it is not the one that the path is of.
  const isIt = sameJson((valueAt(merged, path) ?? null) as Json, (conflict?.ours ?? null) as Json);
  if (!isIt || !isJsonObject(member) || !isJsonObject(member.entity)) return undefined;
  const { reference } = member.entity;
  return typeof reference === "string" ? reference : undefined;
}
