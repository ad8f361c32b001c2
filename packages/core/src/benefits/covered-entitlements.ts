import {
  consentChunks,
  inOrder,
  isBeyond,
  type Place,
  passedSince,
  subjectsUnder,
} from "../consent/consent-walk.ts";
import type { Visibility } from "../consent/visibility.ts";
import { everyPageOf } from "../registry/every-page.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { Condition, Position } from "../store/port.ts";
import { entitlementCollection, type StoredEntitlement, storedEntitlement } from "./entitlement-document.ts";
import { membershipsSeen } from "./membership-sight.ts";

/** So many persons are looked at at once: their entitlements are read whole. */
const mostPersons = 50;

/** After every entitlement of one person. */
const pastPerson = "\uffff";

interface CoveredChunk {
  readonly entitlements: readonly {
    readonly found: StoredEntitlement;
    readonly visibility: Visibility;
    readonly place: Position;
  }[];
  /** Behind them; absent after the last. */
  readonly next?: Position;
}

/**
 * The entitlements that consents show a caller, in the order of the consents' ids, then of persons, then of `ext_id`. An entitlement
 * that several consents show comes with the first of them. A consent or a group that changed since the walk began does not count as
 * first: an entitlement may then come twice, and is never left out.
 *
 * A place is `{ value: "<instant at which the walk began>/<consent>", key: "<person>/<entitlement>" }`.
 */
export async function* coveredEntitlements(
  settings: Settings,
  caller: Caller,
  {
    where,
    after,
    size,
  }: { readonly where: readonly Condition[]; readonly after: Position | undefined; readonly size: number },
): AsyncGenerator<CoveredChunk> {
  const [since = "", consent] = after?.value?.split("/") ?? [settings.now()];
  const from = after && consent !== undefined ? { value: consent, key: after.key } : undefined;
  const positionAt = ({ value, key }: Place) => ({ value: `${since}/${value}`, key });
  const walk = { type: "ProgramMembership", after: from, size } as const;
  for await (const { consents, next } of consentChunks(settings, caller, walk)) {
    const subjects = inOrder(await subjectsUnder(settings, consents, "ProgramMembership"));
    const wanted = subjects.filter(({ value, key }) =>
      isBeyond({ value, key: `${key}/${pastPerson}` }, from),
    );
    for (let at = 0; at < wanted.length; at += mostPersons) {
      const places = wanted.slice(at, at + mostPersons);
      const found = await entitlementsAt(settings, caller, { places, where, since });
      const end = places.at(-1);
      yield {
        entitlements: found
          .filter(({ place }) => isBeyond(place, from))
          .map(({ place, ...one }) => ({ ...one, place: positionAt(place) })),
        ...(end && { next: positionAt({ ...end, key: `${end.key}/${pastPerson}` }) }),
      };
    }
    if (next) yield { entitlements: [], next: positionAt(next) };
  }
}

/** The entitlements of the persons at these places, without those that an earlier consent shows as well. */
async function entitlementsAt(
  settings: Settings,
  caller: Caller,
  {
    places,
    where,
    since,
  }: { readonly places: readonly Place[]; readonly where: readonly Condition[]; readonly since: string },
) {
  const documents = await everyPageOf(settings.store, {
    collection: entitlementCollection,
    index: "registrant",
    anyOf: [...new Set(places.map(({ key }) => key))],
    where,
  });
  settings.budget.spendRecords(documents.length);
  const stored = documents.map(storedEntitlement);
  const persons = stored.map(({ body }) => body.registrant);
  const seen =
    persons.length > 0 ? await membershipsSeen(settings, caller, persons) : new Map<string, Visibility>();
  const earlier = ({ value, key }: Place) => (seen.get(key)?.consents ?? []).filter((id) => id < value);
  const passed = await passedSince(settings, places.flatMap(earlier), since);
  const first = new Map<string, Place>();
  for (const place of places) {
    const isLater = first.has(place.key) || earlier(place).some((id) => passed(id, place.key));
    if (!isLater && seen.has(place.key)) first.set(place.key, place);
  }
  const shown = stored.flatMap((found) => {
    const person = found.body.registrant;
    const [place, visibility] = [first.get(person), seen.get(person)];
    return place && visibility
      ? [{ found, visibility, place: { value: place.value, key: `${person}/${found.key}` } }]
      : [];
  });
  return shown.sort((a, b) => (isBeyond(a.place, b.place) ? 1 : -1));
}
