import {
  type Choice,
  type JsonObject,
  merge,
  type Problem,
  resolveConflicts,
  resourceShapes,
} from "@fieldroll/core";
import type { Resolution } from "../types.ts";
import { sameContent, under } from "./content.ts";
import type { OutboxEntry, Settled } from "./entry.ts";
import { endAll, restated } from "./rebase.ts";

/** What a person's decision comes to, or why it can't be carried out. */
export type Decided =
  | { readonly kind: "settled"; readonly settled: Settled }
  | { readonly kind: "refused"; readonly problem: Problem };

/** Carries out a person's decision on a parked record. */
export function decide(entry: OutboxEntry, local: JsonObject, resolution: Resolution): Decided {
  switch (resolution.kind) {
    case "choose":
      return choose(entry, local, resolution.choices);
    case "retry":
      return retry(entry, local);
    case "discard":
      return discard(entry);
  }
}

function choose(
  entry: OutboxEntry,
  local: JsonObject,
  choices: (Resolution & { kind: "choose" })["choices"],
): Decided {
  const theirs = entry.parked?.theirs;
  if (!theirs)
    return refused("There are no two copies of this record to choose between; edit it, retry or discard.");
  const request = { base: entry.base, ours: local, theirs, shape: resourceShapes[entry.type] };
  const paths = merge(request).conflicts.map((conflict) => conflict.path);
  const unknown = Object.keys(choices).find((path) => !paths.includes(path));
  if (unknown !== undefined) return refused(`${unknown} is not in conflict; choose for ${paths.join(", ")}.`);
  const { merged, conflicts } = resolveConflicts(request, choices as Readonly<Record<string, Choice>>);
  if (conflicts.length > 0) {
    return refused(`Choose a value for ${conflicts.map((conflict) => conflict.path).join(", ")} too.`);
  }
  return onto(entry, theirs, under(theirs, merged));
}

/** Goes on from the other copy with the values decided on. */
function onto(entry: OutboxEntry, theirs: JsonObject, local: JsonObject): Decided {
  if (sameContent(theirs, local)) {
    return settled({ entry: null, local: theirs, ended: endAll(entry.edits, "merged") });
  }
  return settled({ entry: restated({ ...freed(entry), base: theirs }, local), local, ended: [] });
}

function retry(entry: OutboxEntry, local: JsonObject): Decided {
  const theirs = entry.parked?.theirs;
  if (entry.parked?.reason !== "conflict" || !theirs)
    return settled({ entry: freed(entry), local, ended: [] });
  const { merged, conflicts } = merge({
    base: entry.base,
    ours: local,
    theirs,
    shape: resourceShapes[entry.type],
  });
  if (conflicts.length === 0) return onto(entry, theirs, under(theirs, merged));
  return refused("Both sides changed the same fields: choose a value for each instead of sending again.");
}

/** Without a server's copy nothing is left to show: the record was made here, or left this device's scope. */
function discard(entry: OutboxEntry): Decided {
  const local = entry.parked?.reason === "gone" ? null : (entry.parked?.theirs ?? entry.base);
  return settled({ entry: null, local, ended: endAll(entry.edits, "discarded") });
}

function freed(entry: OutboxEntry): OutboxEntry {
  return { ...entry, request: null, parked: null, attempts: 0, rebases: 0, nextAttemptAt: null };
}

function settled(value: Settled): Decided {
  return { kind: "settled", settled: value };
}

function refused(detail: string): Decided {
  return { kind: "refused", problem: { kind: "invalid-state", detail } };
}
