import type { FieldClient } from "@fieldroll/sync";
import { looksLike, type Similar } from "../model/household.ts";
import { changedPerson, emptyIndividual, type PersonValues } from "../model/person-form.ts";
import { nameText } from "../model/person-text.ts";
import type { RegistrationValues } from "../model/registration.ts";

const weight: Readonly<Record<Similar["because"], number>> = { name: 0, household: 1, identifier: 2 };

/** Records on this device that may be the household or the people of a form. */
export async function findSimilar(
  client: FieldClient,
  values: RegistrationValues,
  today: string,
): Promise<readonly Similar[]> {
  const found = await Promise.all([
    similarHouseholds(client, values.name),
    ...values.people.map(async ({ id, person }) =>
      (await similarPeople(client, person, today)).map((similar) => ({ ...similar, person: id })),
    ),
  ]);
  // Of several likenesses to one record, that of the identity number counts most: it comes last.
  const sorted = found.flat().sort((a, b) => weight[a.because] - weight[b.because]);
  const byReference = new Map(sorted.map((similar) => [similar.reference, similar]));
  return [...byReference.values()].slice(0, 10);
}

async function similarHouseholds(client: FieldClient, name: string): Promise<readonly Similar[]> {
  const outcome = await client.groups.search({ name: name.trim(), limit: "20" });
  if (!outcome.ok) return [];
  return outcome.value.data
    .filter(({ record }) => record.name.trim().toLowerCase() === name.trim().toLowerCase())
    .map(({ reference, record }) => ({ reference, name: record.name, because: "household" as const }));
}

async function similarPeople(
  client: FieldClient,
  person: PersonValues,
  today: string,
): Promise<readonly Similar[]> {
  const record = changedPerson(emptyIndividual, person, today);
  const word = person.given.trim() || person.family.trim();
  const [byName, byIdentifier] = await Promise.all([
    word ? client.individuals.search({ name: word, limit: "100" }) : undefined,
    person.nationalId.trim()
      ? client.individuals.search({ identifier: person.nationalId.trim(), limit: "5" })
      : undefined,
  ]);
  const same = byIdentifier?.ok ? byIdentifier.value.data : [];
  const alike = byName?.ok ? byName.value.data.filter((held) => looksLike(record, held.record)) : [];
  return [
    ...alike.map((held) => ({
      reference: held.reference,
      name: nameText(held.record.name),
      because: "name" as const,
    })),
    ...same.map((held) => ({
      reference: held.reference,
      name: nameText(held.record.name),
      because: "identifier" as const,
    })),
  ];
}
