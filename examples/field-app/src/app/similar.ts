import type { Individual, PostalAddress, SearchParameters } from "@fieldroll/core";
import type { FieldClient, Held } from "@fieldroll/sync";
import { withHomeAddress } from "../model/address-form.ts";
import {
  closestSimilar,
  likeness,
  looksLike,
  type Similar,
  sameTown,
  tellingWord,
} from "../model/household.ts";
import { changedPerson, emptyIndividual, type PersonValues } from "../model/person-form.ts";
import { nameText, placeText } from "../model/person-text.ts";
import type { RegistrationValues } from "../model/registration.ts";

/** An identity number tells more than any name. */
const byNumber = 8;
const mostShown = 10;
/** The most of one page. */
const wholePage = "500";

/** Records on this device that may be the household or the people of a form, the closest first. */
export async function findSimilar(
  client: FieldClient,
  values: RegistrationValues,
  today: string,
): Promise<readonly Similar[]> {
  const home = withHomeAddress(undefined, values.address);
  const found = await Promise.all([
    similarHouseholds(client, values.name, home),
    ...values.people.map(async ({ id, person }) => {
      const record = changedPerson(emptyIndividual, { ...person, address: values.address }, today);
      const similar = await similarPeople(client, person, record);
      return similar.map((item) => ({ ...item, person: id }));
    }),
  ]);
  return closestSimilar(found.flat(), mostShown);
}

async function similarHouseholds(
  client: FieldClient,
  name: string,
  home: readonly PostalAddress[] | undefined,
): Promise<readonly Similar[]> {
  const outcome = await client.groups.search({ name: name.trim(), limit: wholePage });
  if (!outcome.ok) return [];
  return outcome.value.data
    .filter(({ record }) => record.name.trim().toLowerCase() === name.trim().toLowerCase())
    .map(({ reference, record }) => ({
      reference,
      name: record.name,
      place: placeText(record.address),
      because: "household" as const,
      closeness: sameTown(record.address, home) ? 3 : 1,
    }));
}

async function similarPeople(
  client: FieldClient,
  typed: PersonValues,
  record: Individual,
): Promise<readonly Similar[]> {
  const number = typed.nationalId.trim();
  const [alike, same] = await Promise.all([
    peopleNamed(client, typed, record.birthDate?.slice(0, 4)),
    number ? heldBy(client, { identifier: number, limit: "5" }) : [],
  ]);
  return [
    ...alike
      .filter((held) => looksLike(record, held.record))
      .map((held) => ({ ...described(held), ...likeness(record, held.record) })),
    ...same.map((held) => ({ ...described(held), because: "identifier" as const, closeness: byNumber })),
  ];
}

/**
 * People with both names. Those of the year of birth are asked for by themselves too: a name may be so common that
 * they are beyond one page of everyone who has it.
 */
async function peopleNamed(
  client: FieldClient,
  typed: PersonValues,
  year: string | undefined,
): Promise<readonly Held<Individual>[]> {
  const name = [tellingWord(typed.given), tellingWord(typed.family)].filter(Boolean);
  if (name.length === 0) return [];
  const [ofYear, all] = await Promise.all([
    year ? heldBy(client, { name, birthdate: [`ge${year}-01-01`, `le${year}-12-31`], limit: wholePage }) : [],
    heldBy(client, { name, limit: wholePage }),
  ]);
  return [...ofYear, ...all];
}

async function heldBy(
  client: FieldClient,
  parameters: SearchParameters,
): Promise<readonly Held<Individual>[]> {
  const outcome = await client.individuals.search(parameters);
  return outcome.ok ? outcome.value.data : [];
}

function described({ reference, record }: Held<Individual>): Pick<Similar, "reference" | "name" | "place"> {
  return { reference, name: nameText(record.name), place: placeText(record.address) };
}
