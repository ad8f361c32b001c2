import type { Settings } from "../registry/settings.ts";
import type { CommitPart } from "../registry/write/followers.ts";
import type { DocumentKey, Expectation } from "../store/port.ts";

/** When a person left groups that had given consents: the group's key to an instant, UTC. */
export type FormerGroups = Readonly<Record<string, string>>;

/** Where it is kept who left groups; the key of each note is the person's. */
export const formerMemberCollection = "former-member";

function noteKey(person: string): DocumentKey {
  return { collection: formerMemberCollection, key: person };
}

/** Notes that persons leave groups, now. */
export async function formerMembers(
  { store, now }: Pick<Settings, "store" | "now">,
  left: readonly { readonly person: string; readonly group: string }[],
): Promise<CommitPart> {
  const persons = [...new Set(left.map(({ person }) => person))];
  if (persons.length === 0) return {};
  const notes = await store.get(persons.map(noteKey));
  const expect = persons.map((person, i): Expectation => {
    const version = notes[i]?.version;
    return version === undefined
      ? { kind: "absent", ...noteKey(person) }
      : { kind: "version", ...noteKey(person), version };
  });
  const put = persons.map((person, i) => {
    const groups = left.filter((one) => one.person === person).map(({ group }) => [group, now()]);
    const body = { ...(notes[i]?.body as FormerGroups | undefined), ...Object.fromEntries(groups) };
    return { ...noteKey(person), version: (notes[i]?.version ?? 0) + 1, body };
  });
  return { expect, put };
}

/** The groups that these persons left, and when. */
export async function loadFormerGroups(
  { store }: Pick<Settings, "store">,
  persons: readonly string[],
): Promise<ReadonlyMap<string, FormerGroups>> {
  const notes = await store.get(persons.map(noteKey));
  return new Map(persons.map((person, i) => [person, (notes[i]?.body ?? {}) as FormerGroups]));
}
