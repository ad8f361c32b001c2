import { isJsonObject, type Json, type JsonObject, sameJson } from "../json.ts";
import { indexItems, rivals } from "./items.ts";
import { memberOf, setMember } from "./member.ts";
import type { Place } from "./place.ts";
import type { AtomicShape, KeyedShape, ObjectShape, Shape, Versions } from "./shape.ts";

type Maybe = Json | undefined;

/** The three values of one place, absent ones `undefined`. */
interface Three<T extends Maybe = Maybe> {
  readonly base: Maybe;
  readonly ours: T;
  readonly theirs: T;
}

/** A place where both sides differ and nothing decided. */
export interface Found {
  readonly place: Place | null;
  readonly versions: Versions;
  readonly with: With;
  /** The way from the place out to the record, lengthened by each level on the way back. */
  readonly outward: (string | number)[];
}

/** One merge on its way: what decides at its conflicts, and those left open so far. */
export interface Run {
  /** `undefined` leaves the conflict open: the merged record then holds ours. */
  readonly decide: (place: Place | null, versions: Versions) => { readonly value: Maybe } | undefined;
  /** Whether a place, or one within it, is in conflict as long as both sides differ there, whatever the base has. */
  readonly asked: (place: Place | null) => "here" | "within" | undefined;
  readonly found: Found[];
}

/** Members of one object that are decided together: see {@link ObjectShape.together}. */
type Unit = readonly string[];

/** What a place is decided together with, itself among it: members by name, or rival items, as far as they were found. */
interface With {
  readonly unit?: Unit;
  readonly rivals?: Found[];
}

const atomic: AtomicShape = { kind: "atomic" };

/** Merges one place. A side that left it as it was gives way to the other; only then is the shape asked. */
export function mergeAt(run: Run, place: Place | null, three: Three, shape: Shape = atomic): Maybe {
  const { base, ours, theirs } = three;
  if (shape.kind === "theirs") return theirs;
  if (sameJson(ours, theirs)) return theirs;
  const asked = run.asked(place);
  if (asked === "here") return settle(run, place, three);
  if (!asked && sameJson(base, ours)) return theirs;
  if (!asked && sameJson(base, theirs)) return ours;
  const parts = mergeParts(run, place, three, shape);
  return parts ? parts.value : settle(run, place, three);
}

/** Merges part by part where the shape and the values allow it; `undefined` where the place is one value. */
function mergeParts(
  run: Run,
  place: Place | null,
  { base, ours, theirs }: Three,
  shape: Shape,
): { readonly value: Maybe } | undefined {
  if (shape.kind === "keyed") return mergeItems(run, place, { base, ours, theirs }, shape);
  if (shape.kind !== "object") return undefined;
  if (shape.absentIsEmpty && (ours === undefined || theirs === undefined)) {
    return mergeParts(run, place, { base, ours: ours ?? {}, theirs: theirs ?? {} }, shape);
  }
  if (!isJsonObject(ours) || !isJsonObject(theirs)) return undefined;
  const agreed = (shape.agreeOn ?? []).every((name) =>
    sameJson(memberOf(ours, name), memberOf(theirs, name)),
  );
  return agreed ? { value: mergeMembers(run, place, { base, ours, theirs }, shape) } : undefined;
}

function mergeMembers(
  run: Run,
  place: Place | null,
  { base, ours, theirs }: Three<JsonObject>,
  shape: ObjectShape,
): JsonObject {
  const before = isJsonObject(base) ? base : {};
  const merged: { [name: string]: Json } = {};
  const isAsked = (name: string) => run.asked({ parent: place, name, kind: "member" }) === "here";
  const contested = contestedUnits(shape, { base: before, ours, theirs }, isAsked);
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const three = {
      base: memberOf(before, name),
      ours: memberOf(ours, name),
      theirs: memberOf(theirs, name),
    };
    const from = run.found.length;
    const memberShape = Object.hasOwn(shape.members, name) ? shape.members[name] : shape.rest;
    const at: Place = { parent: place, name, kind: "member" };
    const unit = contested.find((names) => names.includes(name));
    const differs = unit && !sameJson(three.ours, three.theirs);
    const value = differs ? settle(run, at, three, { unit }) : mergeAt(run, at, three, memberShape);
    if (value !== undefined) setMember(merged, name, value);
    lengthen(run.found.slice(from), name);
  }
  return merged;
}

/** Of the members that are decided together, those of which each side changed one, be it another one, or one is asked about. */
function contestedUnits(
  { together = [] }: ObjectShape,
  { base, ours, theirs }: { readonly base: JsonObject } & Three<JsonObject>,
  isAsked: (name: string) => boolean,
): readonly Unit[] {
  const differ = (a: JsonObject, b: JsonObject, name: string) =>
    !sameJson(memberOf(a, name), memberOf(b, name));
  return together.filter((unit) => {
    const open = unit.filter((name) => differ(ours, theirs, name));
    const changedIn = (side: JsonObject) => open.some((name) => differ(base, side, name));
    return open.some(isAsked) || (changedIn(ours) && changedIn(theirs));
  });
}

/** Theirs' items in their order, then what ours added. Absent when nothing is left and a side took the array away. */
function mergeItems(
  run: Run,
  place: Place | null,
  three: Three,
  shape: KeyedShape,
): { readonly value: Maybe } | undefined {
  const base = indexItems(three.base, shape);
  const ours = indexItems(three.ours, shape);
  const theirs = indexItems(three.theirs, shape);
  if (!base || !ours || !theirs) return undefined;
  const merged: Json[] = [];
  const withoutItem: Found[][] = [];
  const contested = rivals(shape, { base, ours, theirs });
  const foundOf = new Map([...contested.values()].map((names) => [names, [] as Found[]]));
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const item = { base: base.get(name), ours: ours.get(name), theirs: theirs.get(name) };
    const from = run.found.length;
    const at: Place = { parent: place, name, kind: "item" };
    const found = foundOf.get(contested.get(name) ?? []);
    const value = found ? settle(run, at, item, { rivals: found }) : mergeAt(run, at, item, shape.item);
    const inside = run.found.slice(from);
    if (value === undefined) {
      if (inside.length > 0) withoutItem.push(inside);
    } else {
      lengthen(inside, merged.length);
      merged.push(value);
    }
  }
  withoutItem.forEach((inside, i) => {
    lengthen(inside, merged.length + i);
  });
  const gone = merged.length === 0 && (three.ours === undefined || three.theirs === undefined);
  return { value: gone ? undefined : merged };
}

function lengthen(inside: readonly Found[], segment: string | number): void {
  for (const found of inside) found.outward.push(segment);
}

function settle(run: Run, place: Place | null, { base, ours, theirs }: Three, others: With = {}): Maybe {
  const versions: Versions = {
    ...(base !== undefined && { base }),
    ...(ours !== undefined && { ours }),
    ...(theirs !== undefined && { theirs }),
  };
  const decided = run.decide(place, versions);
  if (decided) return decided.value;
  const found: Found = { place, versions, with: others, outward: [] };
  run.found.push(found);
  others.rivals?.push(found);
  return ours;
}
