import {
  type Choice,
  type Json,
  type JsonObject,
  type MergedRecord,
  merge,
  mixedChoice,
  type Problem,
  resolveConflicts,
} from "@fieldroll/core";
import type { Resolution } from "../resolution.ts";
import { absorb } from "./absorb.ts";
import { askedNoMore, askedOf, mergeOf } from "./asked.ts";
import { sameContent, under } from "./content.ts";
import { restated, withoutGone } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { isWhole, seenPart, standingOn } from "./hidden.ts";
import { lastStepFrom } from "./moves.ts";
import { newestCopy } from "./park.ts";
import { type Copies, endAll, rebase } from "./rebase.ts";
import type { Settled } from "./settled.ts";

/** What a person's decision comes to, or why it can't be carried out. */
export type Decided = { readonly kind: "settled"; readonly settled: Settled } | Refused;

/** A decision that can't be carried out. */
export interface Refused {
  readonly kind: "refused";
  readonly problem: Problem;
}

/** A value for each conflicting path. */
export type Choices = (Resolution & { kind: "choose" })["choices"];

/** Says what is wrong with what comes of a decision, and with neither of the copies that it is about. */
export type Judge = (made: MergedRecord) => Problem | undefined;

/** Carries out a person's decision on a record, but for the adoption of another one: see `adopt`. @param resolution `at`: a UTC instant */
export function decide(
  entry: OutboxEntry,
  local: JsonObject,
  resolution: Exclude<Resolution, { kind: "adopt" }> & { readonly judge: Judge; readonly at: string },
): Decided {
  switch (resolution.kind) {
    case "choose":
      return choose(entry, local, resolution);
    case "retry":
      return retry(entry, local);
    case "discard":
      return discard(entry, local, resolution.at);
  }
}

interface Choosing {
  readonly choices: Choices;
  readonly judge: Judge;
}

function choose(entry: OutboxEntry, local: JsonObject, choosing: Choosing): Decided {
  const theirs = entry.parked?.theirs;
  if (!theirs)
    return refused("There are no two copies of this record to choose between; edit it, retry or discard.");
  const chosen = merged(entry, { local, theirs }, choosing);
  return chosen.kind === "refused" ? chosen : onto(entry, chosen.stands, chosen.record);
}

/** Two copies of a record merged under theirs, with a person's choice where both changed the same. */
export function merged(
  { type, edits, ...entry }: Pick<OutboxEntry, "type" | "base" | "edits" | "asked">,
  { local, theirs }: Omit<Copies, "base">,
  { choices, judge }: Choosing,
): Refused | { readonly kind: "merged"; readonly record: JsonObject; readonly stands: JsonObject } {
  const stands = standingOn(type, theirs, { base: entry.base, local });
  const request = mergeOf(type, { ...askedOf(entry), local, theirs: stands });
  const { conflicts: asked } = merge(request);
  const paths = asked.map((conflict) => conflict.path);
  const unknown = Object.keys(choices).find((path) => !paths.includes(path));
  if (unknown !== undefined) return refused(`${unknown} is not in conflict; choose for ${paths.join(", ")}.`);
  const mixed = mixedChoice(asked, choices);
  if (mixed)
    return refused(
      `${mixed.join(", ")} are decided together: choose ours for all of them or theirs for all of them, or give values.`,
    );
  const { merged: chosen, conflicts } = resolveConflicts(
    request,
    choices as Readonly<Record<string, Choice>>,
  );
  if (conflicts.length > 0) {
    return refused(`Choose a value for ${conflicts.map((conflict) => conflict.path).join(", ")} too.`);
  }
  const record = under(theirs, chosen);
  const steps = edits.flatMap(({ patch }) => patch.status ?? []);
  const problem = judge({ type, record, ours: local, theirs: beforeLastStep(theirs, steps, record) });
  return problem ? { kind: "refused", problem } : { kind: "merged", record, stands };
}

/** What several moves of an enrollment made of the other copy when the last one begins: each leaves as a step, and is judged as one. */
function beforeLastStep(theirs: JsonObject, steps: readonly Json[], { status }: JsonObject): JsonObject {
  const from = theirs.status;
  return from && status ? { ...theirs, status: lastStepFrom(from, steps, status) } : theirs;
}

/** Goes on from the other copy, completed, with the values decided on. */
function onto(entry: OutboxEntry, base: JsonObject, local: JsonObject): Decided {
  if (sameContent(base, local)) {
    const { meta } = entry.parked?.theirs ?? base;
    const shown = seenPart(meta === undefined ? base : { ...base, meta });
    return settled({ entry: null, local: shown, ended: endAll(entry.edits, "merged") });
  }
  // As it was before the decision nothing knows an item again, should it be hidden.
  const next = withoutGone({ ...freed(askedNoMore(entry)), base }, entry.base ?? {}, local);
  return settled({ entry: restated(next, local), local, ended: [] });
}

/** A record that a restored server has lost is registered anew by who is shown all of it: whoever made it takes what is there for the whole. */
function retry(entry: OutboxEntry, local: JsonObject): Decided {
  const { lost, edits } = entry;
  if (lost && !isWhole(lost) && !edits.some(({ patch }) => patch.type !== undefined))
    return refused(
      "You are shown this record in part only, so it can't be registered anew from here: whoever registered it has to give it back. If nobody does, discard this and register a new one.",
    );
  const theirs = entry.parked?.theirs;
  if (entry.parked?.reason !== "conflict" || !theirs)
    return settled({ entry: freed(entry), local, ended: [] });
  const rebased = rebase(entry.type, { ...askedOf(entry), local, theirs });
  if (rebased.conflicts.length === 0) return onto(entry, rebased.stands, rebased.local);
  return refused("Both sides changed the same fields: choose a value for each instead of sending again.");
}

/**
 * Without a server's copy nothing is left to show: the record was made here, or left this device's scope. News that waited for an answer
 * waits for none any more.
 */
function discard(entry: OutboxEntry, local: JsonObject, at: string): Decided {
  const { incoming, ...unsent } = givenUp(entry);
  const told = incoming && absorb({ ...unsent, incoming: null }, local, incoming, { at });
  if (told && !told.entry) return settled(told);
  const { parked, left, ...last } = told?.entry ?? entry;
  const newest = left || parked?.reason === "gone" ? null : newestCopy({ ...last, parked });
  return settled({ entry: null, local: newest && seenPart(newest), ended: endAll(last.edits, "discarded") });
}

function freed(entry: OutboxEntry): OutboxEntry {
  return { ...entry, request: null, parked: null, attempts: 0, rebases: 0, nextAttemptAt: null };
}

function settled(value: Settled): Decided {
  return { kind: "settled", settled: value };
}

/** Says why a decision can't be carried out, and what else to do. */
export function refused(detail: string): Refused {
  return { kind: "refused", problem: { kind: "invalid-state", detail } };
}
