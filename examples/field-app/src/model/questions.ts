import { isJsonObject, type JsonObject, sameJson } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";

/** Three values of one place in a record. */
export interface Versions {
  readonly path: string;
  readonly base?: unknown;
  readonly ours?: unknown;
  readonly theirs?: unknown;
}

export type Side = "ours" | "theirs";

/** What a person chooses of the two sides, by the path of each question. */
export type Chosen = Readonly<Record<string, { readonly side: Side; readonly of: Versions }>>;

const birth = { date: "/birthDate", estimate: "/birthDateEstimated" };

/** The three copies of a record, as far as each is known. */
export interface Copies {
  readonly base?: object | null;
  readonly ours: object | null;
  readonly theirs: object | null;
}

/**
 * Places as a person is shown them: a date of birth and whether it is an estimate are one thing, an object of both, taken from the
 * copies. The date of one person with the estimate of the other is what nobody said.
 */
export function shownPlaces(places: readonly Versions[], copies: Copies): readonly Versions[] {
  const first = places.findIndex(isAboutBirth);
  return places.flatMap((place, at) => {
    if (!isAboutBirth(place)) return [place];
    return at === first ? [birthPlace(copies)] : [];
  });
}

export function isAboutBirth({ path }: Pick<Versions, "path">): boolean {
  return path === birth.date || path === birth.estimate;
}

/** A person with the date of birth and the estimate of a copy. */
export function withBirthOf<T extends object>(copy: JsonObject, person: T): T {
  const { birthDate: _, birthDateEstimated: __, ...others } = person as JsonObject;
  const { birthDate, birthDateEstimated } = copy;
  return {
    ...others,
    ...(birthDate !== undefined && { birthDate }),
    ...(birthDateEstimated !== undefined && { birthDateEstimated }),
  } as T;
}

function birthPlace({ base = null, ours, theirs }: Copies): Versions {
  return { path: birth.date, base: birthIn(base), ours: birthIn(ours), theirs: birthIn(theirs) };
}

function birthIn(copy: object | null): JsonObject | undefined {
  const { birthDate, birthDateEstimated } = (copy ?? {}) as JsonObject;
  return birthDate === undefined ? undefined : { birthDate, birthDateEstimated: birthDateEstimated === true };
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

/** What is decided, as the device takes it. */
export interface Decision {
  /** By the path of each conflict. */
  readonly choices: Readonly<Record<string, Side>>;
  /** The copy whose date of birth and estimate are to be written afterwards, where both can't be chosen together. */
  readonly birthOf?: JsonObject;
}

/**
 * The decision that sides make. Where only the estimate is in conflict and the dates differ, the date is that of whoever changed it:
 * the estimate is chosen to go with it, and the other side's date and estimate are written together afterwards.
 */
export function decisionOf(parked: ParkedRecord, sides: Readonly<Record<string, Side>>): Decision {
  const { conflicts, base, ours, theirs } = parked;
  const paths = conflicts.map(({ path }) => path);
  const choices = Object.fromEntries(
    paths.map((path) => [path, sides[isAboutBirth({ path }) ? birth.date : path] ?? "ours"] as const),
  );
  const side = choices[birth.estimate];
  if (side === undefined || paths.includes(birth.date)) return { choices };
  if (theirs === null || ours.birthDate === theirs.birthDate) return { choices };
  const dated: Side = base?.birthDate === ours.birthDate ? "theirs" : "ours";
  if (dated === side) return { choices };
  return {
    choices: { ...choices, [birth.estimate]: dated },
    birthOf: side === "ours" ? ours : theirs,
  };
}

/** Whether a value is a date of birth with its estimate. */
export function isBirthValue(value: unknown): value is { birthDate: string; birthDateEstimated: boolean } {
  return isJsonObject(value) && typeof value.birthDate === "string" && "birthDateEstimated" in value;
}
