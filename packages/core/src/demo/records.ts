import type { JsonObject } from "../json.ts";
import { membershipStatuses } from "../resource/membership-status.ts";
import { enrollments } from "./enrollments.ts";
import { type Household, household } from "./household.ts";
import { photos } from "./photos.ts";
import { demoPrograms } from "./programs.ts";
import { createChoices, seedOf } from "./random.ts";

export interface DemoOptions {
  /** Another seed, another population. A whole number; default 2026. */
  readonly seed?: number;
  /** Default 2000: about 7,000 people. */
  readonly households?: number;
  /** The date on which people are as old as planned, `YYYY-MM-DD`. */
  readonly today: string;
  /** Replaces `service` in `urn:service:…`. */
  readonly namespace?: string;
}

/**
 * Made-up records to show and to try things with, as `import` reads them and in the order in which they may be
 * created: three programs (one for persons, two for households of which one has ended), then for each household its
 * people, its group and its enrollments, which are in every state. Names are in Latin, Arabic and Devanagari script.
 *
 * The same options give the same records, byte by byte. Household n is the same however many there are.
 *
 * @example
 * for (const record of demoRecords({ today: "2026-01-31", households: 10 })) console.log(JSON.stringify(record));
 */
export function* demoRecords(options: DemoOptions): Generator<JsonObject, void, undefined> {
  const { seed = 2026, households = 2000, today, namespace = "service" } = options;
  const programs = demoPrograms(today, namespace);
  for (const { record } of [programs.pension, programs.grant, programs.relief]) yield record;
  for (let n = 0; n < households; n++) {
    const choices = createChoices(seedOf(seed, n));
    const home = household(choices, today, namespace);
    yield* people(home, photos[n]);
    yield home.record;
    const grantStatus = membershipStatuses[n];
    yield* enrollments(home, { programs, today, namespace, choices, grantStatus });
  }
}

/** The records of a household's people; the head may have a photo. */
function people(home: Household, photo: string | undefined): readonly JsonObject[] {
  return home.people.map(({ record, place }) =>
    photo !== undefined && place.role === "head" ? { ...record, photo } : record,
  );
}
