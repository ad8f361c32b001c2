import { documentsOf, everyPageOf } from "../registry/every-page.ts";
import type { CoveredWalk } from "../registry/governance.ts";
import { recordKey, storedRecord } from "../registry/record/document.ts";
import type { Chunk } from "../registry/search/sources.ts";
import type { Settings } from "../registry/settings.ts";
import type { Sight } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import { beneficiaryOf, sightByConsents } from "./consent-sight.ts";
import { consentChunks, inOrder, isBeyond, type Place, passedSince, subjectsUnder } from "./consent-walk.ts";
import type { StoredConsent } from "./document.ts";

/**
 * The records of a type that consents show a caller, consent by consent in the order of their ids, so that a page costs what it
 * shows however many consents there are. A record that several consents show comes with the first of them. A consent or a group that
 * changed since the walk began counts as first for none but itself: its record may then come twice, and never not at all.
 */
export function coveredRecords(
  settings: Settings,
  caller: Caller,
  walk: CoveredWalk,
): AsyncIterable<Chunk> | undefined {
  return settings.policies.withoutConsent === "identifiers"
    ? undefined
    : walkConsents(settings, caller, walk);
}

async function* walkConsents(
  settings: Settings,
  caller: Caller,
  { type, after, since, size }: CoveredWalk,
): AsyncGenerator<Chunk> {
  for await (const { consents, next } of consentChunks(settings, caller, { type, after, size })) {
    const places = (await placesUnder(settings, consents, type)).filter((place) => isBeyond(place, after));
    yield* recordsAt(settings, caller, { type, since, places });
    yield { records: [], ...(next && { next }) };
  }
}

/** Where the records stand that each of these consents shows, in order. */
async function placesUnder(
  settings: Settings,
  consents: readonly StoredConsent[],
  type: CoveredWalk["type"],
): Promise<readonly Place[]> {
  const subjects = await subjectsUnder(settings, consents, type);
  return inOrder(type === "ProgramMembership" ? await enrollmentsOf(settings, subjects) : subjects);
}

/** The memberships of those at these places, each where its beneficiary is. */
async function enrollmentsOf({ store }: Settings, places: readonly Place[]): Promise<readonly Place[]> {
  const beneficiaries = [...new Set(places.map(({ key }) => key))];
  const found = await everyPageOf(store, {
    collection: "ProgramMembership",
    index: "beneficiary",
    anyOf: beneficiaries,
  });
  const enrollments = new Map<string, string[]>();
  for (const stored of found.map(storedRecord)) {
    const beneficiary = beneficiaryOf(stored) ?? "";
    enrollments.set(beneficiary, [...(enrollments.get(beneficiary) ?? []), stored.key]);
  }
  return places.flatMap(({ value, key }) =>
    (enrollments.get(key) ?? []).map((enrollment) => ({ value, key: enrollment })),
  );
}

/** The records at these places, without those that an earlier consent shows as well. */
async function* recordsAt(
  settings: Settings,
  caller: Caller,
  { type, since, places }: { readonly places: readonly Place[] } & Pick<CoveredWalk, "type" | "since">,
): AsyncGenerator<Chunk> {
  let at = 0;
  const keys = places.map(({ key }) => recordKey(type, key));
  for await (const documents of documentsOf(settings.store, keys)) {
    const here = places.slice(at, at + documents.length);
    at += documents.length;
    const found = documents.map((document) => document && storedRecord(document));
    const distinct = [...new Map(found.flatMap((stored) => (stored ? [[stored.key, stored]] : []))).values()];
    const sight = await sightByConsents(settings, caller, distinct);
    const earlier = earlierOf(here, sight);
    const passed = await passedSince(settings, [...earlier.values()].flat(), since);
    const told = new Map<string, Place>();
    here.forEach((place, i) => {
      const stored = found[i];
      if (!stored || !sight.has(place.key) || told.has(place.key)) return;
      const speaker = (type === "ProgramMembership" && beneficiaryOf(stored)) || place.key;
      if (!earlier.get(place)?.some((id) => passed(id, speaker))) told.set(place.key, place);
    });
    const next = here.at(-1);
    yield {
      records: distinct.filter(({ key }) => told.has(key)),
      sight,
      placeOf: (key) => told.get(key) ?? { value: null, key },
      ...(next && { next }),
    };
  }
}

/** For each place the consents before it that show its record as well. */
export function earlierOf(places: readonly Place[], sight: Sight): ReadonlyMap<Place, readonly string[]> {
  return new Map(
    places.map((place) => [place, sight.get(place.key)?.consents.filter((id) => id < place.value) ?? []]),
  );
}
