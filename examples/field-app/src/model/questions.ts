import { type Json, type JsonObject, sameJson } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import { valueAt } from "./conflict-text.ts";

/** Three values of one place in a record. */
export interface Versions {
  readonly path: string;
  readonly base?: unknown;
  readonly ours?: unknown;
  readonly theirs?: unknown;
  /** The paths of what is decided together with it, itself among it. */
  readonly together?: readonly string[];
}

export type Side = "ours" | "theirs";

/** What a person chooses of the two sides, by the path of each question. */
export type Chosen = Readonly<Record<string, { readonly side: Side; readonly of: Versions }>>;

/** The three copies of a record, as far as each is known. */
export interface Copies {
  readonly base?: object | null;
  readonly ours: object | null;
  readonly theirs: object | null;
}

/**
 * Places as a person is shown them: what is decided together, such as a date of birth and whether it is an estimate, is one, called
 * by the first of its paths. Its values are objects of all its members, taken from the copies, or lists of items.
 */
export function shownPlaces(places: readonly Versions[], copies: Copies): readonly Versions[] {
  return places.flatMap((place) => {
    const { together } = place;
    if (!together) return [place];
    const parts = places.filter(({ path }) => together.includes(path));
    return place === parts[0] ? [shownTogether(together, parts, copies)] : [];
  });
}

/** By which path a place is shown: see {@link shownPlaces}. */
function shownPath({ path, together }: Versions): string {
  return together?.[0] ?? path;
}

function shownTogether(together: readonly string[], parts: readonly Versions[], copies: Copies): Versions {
  const [path = ""] = together;
  // Where items stand differs from copy to copy.
  if (/\/\d+$/.test(path)) {
    const [ours, theirs] = [itemsOf(parts, "ours"), itemsOf(parts, "theirs")];
    const had = itemsOf(parts, "base");
    const before = had.length > 0 ? had : replacedBy([...ours, ...theirs], path, copies);
    return { path, base: before, ours, theirs };
  }
  const [base, ours, theirs] = [copies.base ?? null, copies.ours, copies.theirs].map((copy) =>
    membersIn(copy, together),
  );
  return { path, base, ours, theirs };
}

function itemsOf(parts: readonly Versions[], copy: "base" | "ours" | "theirs"): readonly unknown[] {
  return parts.flatMap((part) => part[copy] ?? []);
}

/** The number in whose place each side put another one: that of the same system, which neither has any more. */
function replacedBy(
  numbers: readonly unknown[],
  path: string,
  { base = null, ours, theirs }: Copies,
): readonly unknown[] {
  const [before = [], ...now] = [base, ours, theirs].map((copy) => {
    const list = valueAt(copy, path.slice(0, path.lastIndexOf("/")));
    return Array.isArray(list) ? (list as Json[]) : [];
  });
  const systems = numbers.map((each) => valueAt(each, "/system"));
  const isThere = (one: Json) => now.flat().some((each) => sameJson(each, one));
  return before.filter((each) => systems.includes(valueAt(each, "/system") ?? null) && !isThere(each));
}

function membersIn(copy: object | null, paths: readonly string[]): object | undefined {
  const members = paths.flatMap((path) => {
    const value = valueAt(copy, path);
    return value === undefined || value === null ? [] : [[path.slice(path.lastIndexOf("/") + 1), value]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** What is asked about a record that waits for a decision. */
export function questionsOf({ conflicts, ...copies }: ParkedRecord): readonly Versions[] {
  return shownPlaces(conflicts, copies);
}

/** The side that is chosen for a question, where its values are those that were chosen from. */
export function chosenSide(chosen: Chosen, question: Versions): Side | undefined {
  const choice = chosen[question.path];
  return choice && sameQuestion(choice.of, question) ? choice.side : undefined;
}

/** Whether the three values are the same. */
export function sameQuestion(a: Versions, b: Versions): boolean {
  return a.path === b.path && sameJson(valuesOf(a), valuesOf(b));
}

// Values of records are JSON, and `undefined` is no member.
function valuesOf({ base, ours, theirs }: Versions): JsonObject {
  return JSON.parse(JSON.stringify({ base, ours, theirs })) as JsonObject;
}

/** What is decided, as the device takes it: a side for each conflict, of those that are decided together the same one. */
export function choicesOf(
  { conflicts }: Pick<ParkedRecord, "conflicts">,
  sides: Readonly<Record<string, Side>>,
): Readonly<Record<string, Side>> {
  return Object.fromEntries(
    conflicts.map((conflict) => [conflict.path, sides[shownPath(conflict)] ?? "ours"]),
  );
}
