import type { Visibility } from "../consent/visibility.ts";
import type { StoredRecord } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import { sightOf } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";

/**
 * Of these persons, by key, those whose memberships the caller may see as such: whose they are, and in which program. What a
 * person is entitled to is seen by the same right (contract section 3.3). The value is that right.
 */
export async function membershipsSeen(
  settings: Settings,
  caller: Caller,
  persons: readonly string[],
): Promise<ReadonlyMap<string, Visibility>> {
  const distinct = [...new Set(persons)];
  const sight = await sightOf(settings, caller, distinct.map(membershipOf));
  return new Map(
    [...sight].filter(([, { fields }]) => fields === "all" || whole.every((name) => fields.has(name))),
  );
}

const whole = ["beneficiary", "program"];

/** Any membership of a person: what a caller may see of one does not depend on the program. */
function membershipOf(person: string): StoredRecord {
  return {
    type: "ProgramMembership",
    key: person,
    version: 0,
    record: { beneficiary: { reference: "beneficiary" } },
    links: { beneficiary: person },
    feeds: [],
  };
}
