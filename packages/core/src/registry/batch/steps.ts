import { isJsonObject } from "../../json.ts";
import { canonicalReference } from "../../resource/reference.ts";
import { claimOf } from "../record/load.ts";
import { readReferences, referencesOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Caller, WriteEntry } from "../types.ts";
import { keysSeen } from "../write/write-sight.ts";
import { givenIdentifiers } from "./given-identifiers.ts";

/** Entries that are decided together, and what they name, raw. */
interface Unit {
  readonly entries: readonly number[];
  /** The records that they change: by address, and by key where there is one. */
  readonly changes: ReadonlySet<string>;
  /** The identifiers that they give. */
  readonly gives: ReadonlySet<string>;
  /** The records that they refer to. */
  readonly refers: ReadonlySet<string>;
  /** Whether they create a record without changing one. */
  readonly creates: boolean;
  /** Whether they create a record whose identifiers are not known beforehand. */
  readonly derives: boolean;
}

/**
 * Puts the entries of a transaction in steps, of which each names every record once: who changes a record again does it in a
 * later step than who did before. Within a step the order says nothing. A create waits for whoever refers to its record first,
 * so that the two are one decision.
 *
 * @returns for each step the places of its entries; one step where no record is named twice. A record that is hidden from the caller
 *   counts as one that is not there: which entry fails first must not tell.
 */
export async function stepsOf(
  settings: Settings,
  caller: Caller,
  entries: readonly WriteEntry[],
): Promise<readonly (readonly number[])[]> {
  const addresses = entries.map(addressOf);
  const named = [...new Set(addresses.flatMap((address) => address ?? []))];
  const given = entries.map((entry) => givenBy(entry, settings.namespace));
  const besides = new Map<string, string[]>();
  for (const own of given) {
    for (const raw of own) besides.set(raw, [...(besides.get(raw) ?? []), ...own]);
  }
  const names = named.length > 1 ? [...new Set([...named, ...given.flat()])] : [];
  // Two addresses may lead to one record.
  const keys = await keysSeen(settings, caller, names);
  const units = unitsOf(entries, {
    changes: (place) => {
      const address = addresses[place];
      if (address === undefined) return [];
      const key = keys.get(address);
      const aliases = key === undefined ? (besides.get(address) ?? []) : [key];
      return [address, ...aliases];
    },
    // Who sends back the identifiers that a record has gives it none.
    gives: (place) => {
      const address = addresses[place];
      const key = keys.get(address ?? "");
      return (given[place] ?? []).filter(
        (raw) => raw !== address && (key === undefined || keys.get(raw) !== key),
      );
    },
  });
  const at = byName(units);
  const later = laterUnits(units, at, (address) => keys.get(address) !== undefined);
  const step = postponed(units, at, { earliest: assigned(units, at, later), later });
  const steps: number[][] = [];
  units.forEach(({ entries: own }, unit) => {
    const n = step[unit] ?? 0;
    const one = steps[n];
    if (one) one.push(...own);
    else steps[n] = [...own];
  });
  // A step that all have left is a hole, which this passes over.
  return steps.filter(() => true);
}

function addressOf(entry: WriteEntry): string | undefined {
  if (entry.verb === "create" || entry.verb === "derive") return undefined;
  const claim = claimOf(entry.type, entry.address);
  return claim.ok ? claim.value : undefined;
}

function unitsOf(
  entries: readonly WriteEntry[],
  { changes, gives }: Record<"changes" | "gives", (place: number) => readonly string[]>,
): Unit[] {
  const units: Unit[] = [];
  entries.forEach((entry, place) => {
    const own: Unit = {
      entries: [place],
      changes: new Set(changes(place)),
      gives: new Set(gives(place)),
      refers: new Set(referredBy(entry)),
      creates: entry.verb === "create",
      derives: entry.verb === "derive",
    };
    const joins = entry.verb === "derive" || (entry.verb === "update" && entry.together === true);
    const before = joins ? units.pop() : undefined;
    units.push(before ? joined(before, own) : own);
  });
  return units;
}

function joined(a: Unit, b: Unit): Unit {
  return {
    entries: [...a.entries, ...b.entries],
    changes: new Set([...a.changes, ...b.changes]),
    gives: new Set([...a.gives, ...b.gives]),
    refers: new Set([...a.refers, ...b.refers]),
    creates: false,
    derives: a.derives || b.derives,
  };
}

function givenBy(entry: WriteEntry, namespace: string): readonly string[] {
  if (!("body" in entry) || entry.verb === "derive") return [];
  return givenIdentifiers(entry, namespace).map((identifier) => canonicalReference(entry.type, identifier));
}

function referredBy(entry: WriteEntry): readonly string[] {
  if (entry.verb === "update") return entry.refers ?? [];
  const body = "body" in entry && isJsonObject(entry.body) ? entry.body : {};
  const raw = readReferences(entry.type, body);
  return referencesOf(entry.type, raw).map(({ reference }) => reference);
}

/** Who changes, gives and refers to each name: the places of units, in order. */
type ByName = Readonly<Record<"changes" | "gives" | "refers", ReadonlyMap<string, readonly number[]>>>;

function byName(units: readonly Unit[]): ByName {
  const placesOf = (part: keyof ByName) => {
    const places = new Map<string, number[]>();
    units.forEach((unit, place) => {
      for (const name of unit[part]) {
        const known = places.get(name);
        if (known) known.push(place);
        else places.set(name, [place]);
      }
    });
    return places;
  };
  return { changes: placesOf("changes"), gives: placesOf("gives"), refers: placesOf("refers") };
}

/** The places, each once, of the units that stand at one of the names. */
function placesAt(at: ReadonlyMap<string, readonly number[]>, names: ReadonlySet<string>): readonly number[] {
  return [...new Set([...names].flatMap((name) => at.get(name) ?? []))];
}

/** For each unit, the units after it that change what it changed or made. */
function laterUnits(
  units: readonly Unit[],
  at: ByName,
  isThere: (address: string) => boolean,
): readonly (readonly number[])[] {
  const unknown = units.flatMap(({ changes }, place) =>
    [...changes].some((name) => name.includes("|") && !isThere(name)) ? [place] : [],
  );
  return units.map((first, i) => {
    const again = new Set([
      ...placesAt(at.changes, first.changes),
      ...placesAt(at.changes, first.gives),
      ...placesAt(at.gives, first.changes),
      ...(first.derives ? unknown : []),
    ]);
    return [...again].filter((j) => j > i).sort((a, b) => a - b);
  });
}

/**
 * The earliest step of each unit: after those before it on the same record, not before what it refers to is made, and in turn
 * with those that refer to what it changes.
 */
function assigned(
  units: readonly Unit[],
  at: ByName,
  later: readonly (readonly number[])[],
): readonly number[] {
  const step = units.map(() => 0);
  const waits = units.flatMap((unit, i) => [
    ...(later[i] ?? []).map((j) => ({ first: i, second: j, apart: 1 })),
    ...others(placesAt(at.gives, unit.refers), i).map((j) => ({ first: j, second: i, apart: 0 })),
    // Who is referred to is changed before or after that, as the bundle has it: it may lose its name, or come to an end.
    ...others(placesAt(at.changes, unit.refers), i).map((j) => ({
      first: Math.min(i, j),
      second: Math.max(i, j),
      apart: 1,
    })),
  ]);
  // Each round settles one unit at least; those that wait for each other are left to fail by themselves.
  for (const _ of units) {
    let moved = false;
    for (const { first, second, apart } of waits) {
      const earliest = (step[first] ?? 0) + apart;
      if (earliest <= (step[second] ?? 0)) continue;
      step[second] = earliest;
      moved = true;
    }
    if (!moved) break;
  }
  return step;
}

function others(places: readonly number[], own: number): readonly number[] {
  return places.filter((place) => place !== own);
}

/** What a bound caller creates is its own to refer to in the same decision only: so creates move to where they are needed. */
function postponed(
  units: readonly Unit[],
  at: ByName,
  { earliest, later }: Readonly<{ earliest: readonly number[]; later: readonly (readonly number[])[] }>,
): readonly number[] {
  const step = [...earliest];
  for (let i = units.length - 1; i >= 0; i--) {
    const unit = units[i];
    if (!unit?.creates) continue;
    const needed = [
      ...others(placesAt(at.refers, unit.gives), i).map((j) => step[j] ?? 0),
      ...(later[i] ?? []).map((j) => (step[j] ?? 0) - 1),
    ];
    if (needed.length > 0) step[i] = Math.max(step[i] ?? 0, Math.min(...needed));
  }
  return step;
}
