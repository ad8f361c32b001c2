import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, sameJson } from "../json.ts";
import { storedForm } from "../registry/record/stored.ts";
import type { ResourceType } from "../resource/types.ts";
import {
  arbitraryGroup,
  arbitraryIndividual,
  arbitraryMembership,
  arbitraryProgram,
} from "../testing/generators.ts";
import { arbitraryDiverged, type Diverged } from "../testing/generators-perturb.ts";
import type { Conflict, Shape } from "./shape.ts";
import { resourceShapes } from "./shapes.ts";
import { merge, resolveConflicts } from "./three-way.ts";

interface Trial extends Diverged<JsonObject> {
  readonly shape: Shape;
}

const records: fc.Arbitrary<JsonObject>[] = [
  arbitraryIndividual,
  arbitraryGroup(),
  arbitraryProgram,
  arbitraryMembership(),
];

const stored = (record: JsonObject) => storedForm(record.type as ResourceType, record);

const trials: fc.Arbitrary<Trial> = fc
  .oneof(...records.map((record) => arbitraryDiverged(record, 5)))
  .map((diverged) => ({
    base: stored(diverged.base),
    ours: stored(diverged.ours),
    theirs: stored(diverged.theirs),
    shape: resourceShapes[diverged.base.type as keyof typeof resourceShapes],
  }));

function holds(law: (trial: Trial) => void): void {
  fc.assert(fc.property(trials, law), { numRuns: 1000 });
}

/** The record with every array sorted: arrays of items with identities are sets. */
function unordered(value: Json): Json {
  if (Array.isArray(value)) {
    return (value as Json[])
      .map(unordered)
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, unordered(member)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Every leaf that a record states: scalars by path, items of arrays by their identity or content. */
function facts(value: Json, path = ""): Map<string, Json> {
  const all = new Map<string, Json>();
  if (Array.isArray(value)) {
    for (const item of value as Json[]) {
      for (const [at, leaf] of facts(item, `${path}/${itemName(item)}`)) all.set(at, leaf);
    }
  } else if (typeof value === "object" && value !== null) {
    all.set(`${path}/`, true);
    for (const [name, member] of Object.entries(value)) {
      for (const [at, leaf] of facts(member, `${path}/${name}`)) all.set(at, leaf);
    }
  } else {
    all.set(path, value);
  }
  return all;
}

function itemName(item: Json): string {
  if (typeof item !== "object" || item === null) return JSON.stringify(item);
  const { system, value, use, type, entity, code } = item as JsonObject;
  return JSON.stringify([system, value, use, type, entity, code]);
}

/** The place of a conflict written as {@link facts} writes places: items by name, not by position. */
function factsAt(merged: JsonObject, conflict: Conflict): string {
  let value: Json | undefined = merged;
  let path = "";
  for (const segment of segmentsOf(conflict.path)) {
    const inside: Json | undefined = child(value, segment);
    const isItem = /^\d+$/.test(segment);
    path += `/${isItem ? itemName(inside ?? conflict.ours ?? conflict.theirs ?? null) : segment}`;
    value = inside;
  }
  return path;
}

/** Each fact that a side changed must be in the merged record as that side has it, or lie at a place in conflict. */
function lost({ base, ours, theirs, shape }: Trial): string[] {
  const { merged, conflicts } = merge({ base, ours, theirs, shape });
  const [b, o, t, m] = [facts(base), facts(ours), facts(theirs), facts(merged)];
  const contested = conflicts.map((conflict) => factsAt(merged, conflict));
  return [...new Set([...b.keys(), ...o.keys(), ...t.keys()])].filter((at) => {
    const [was, mine, other] = [b.get(at), o.get(at), t.get(at)];
    const wanted = was === mine ? other : mine;
    const bothDiffer = was !== mine && was !== other && mine !== other;
    if (!bothDiffer && m.get(at) === wanted) return false;
    return !contested.some((place) => at === place || at.startsWith(`${place}/`));
  });
}

describe("merge, for any base and two edited copies,", { timeout: 30_000 }, () => {
  it("gives theirs when ours is the base", () => {
    holds(({ base, theirs, shape }) => {
      expect(merge({ base, ours: base, theirs, shape })).toEqual({ merged: theirs, conflicts: [] });
    });
  });

  it("gives ours when theirs is the base", () => {
    holds(({ base, ours, shape }) => {
      expect(merge({ base, ours, theirs: base, shape })).toEqual({ merged: ours, conflicts: [] });
    });
  });

  it("gives what both sides became", () => {
    holds(({ base, ours, theirs, shape }) => {
      expect(merge({ base, ours, theirs: ours, shape })).toEqual({ merged: ours, conflicts: [] });
      expect(merge({ base: null, ours: theirs, theirs, shape })).toEqual({ merged: theirs, conflicts: [] });
    });
  });

  it("changes nothing when the result comes back as theirs", () => {
    holds(({ base, ours, theirs, shape }) => {
      const { merged } = merge({ base, ours, theirs, shape });
      const again = merge({ base, ours, theirs: merged, shape });
      expect(again.conflicts).toEqual([]);
      expect(unordered(again.merged)).toEqual(unordered(merged));
    });
  });

  it("finds the same conflicts from either side, and commutes where there is none", () => {
    holds(({ base, ours, theirs, shape }) => {
      const here = merge({ base, ours, theirs, shape });
      const there = merge({ base, ours: theirs, theirs: ours, shape });
      expect(there.conflicts.length).toBe(here.conflicts.length);
      if (here.conflicts.length === 0) expect(unordered(there.merged)).toEqual(unordered(here.merged));
    });
  });

  it("keeps each fact that one side changed, or names its place as a conflict", () => {
    holds((trial) => {
      expect(lost(trial)).toEqual([]);
    });
  });

  it("points each conflict at ours in the merged record, with paths of their own", () => {
    holds(({ base, ours, theirs, shape }) => {
      const { merged, conflicts } = merge({ base, ours, theirs, shape });
      expect(new Set(conflicts.map((conflict) => conflict.path)).size).toBe(conflicts.length);
      for (const conflict of conflicts) {
        expect(sameJson(at(merged, conflict.path), conflict.ours)).toBe(true);
        expect(sameJson(conflict.ours, conflict.theirs)).toBe(false);
      }
    });
  });

  it("is settled by choosing at each conflict", () => {
    fc.assert(
      fc.property(
        trials,
        fc.constantFrom("ours" as const, "theirs" as const),
        ({ base, ours, theirs, shape }, side) => {
          const { conflicts, merged } = merge({ base, ours, theirs, shape });
          const choices = Object.fromEntries(conflicts.map(({ path }) => [path, side]));
          const resolved = resolveConflicts({ base, ours, theirs, shape }, choices);
          expect(resolved.conflicts).toEqual([]);
          if (side === "ours") expect(resolved.merged).toEqual(merged);
          else
            expect(resolved.merged).toEqual(
              merge({ base, ours, theirs, shape, policy: { "": "theirs" } }).merged,
            );
        },
      ),
      { numRuns: 600 },
    );
  });

  it("leaves its arguments alone", () => {
    holds(({ base, ours, theirs, shape }) => {
      const before = JSON.stringify([base, ours, theirs]);
      merge({ base, ours, theirs, shape });
      expect(JSON.stringify([base, ours, theirs])).toBe(before);
    });
  });
});

function at(record: Json | undefined, path: string): Json | undefined {
  return segmentsOf(path).reduce<Json | undefined>(child, record);
}

function segmentsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function child(value: Json | undefined, segment: string): Json | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, Json>)[segment] : undefined;
}
