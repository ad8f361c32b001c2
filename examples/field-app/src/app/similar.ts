import type { Individual, Likened, PostalAddress } from "@fieldroll/core";
import type { FieldClient, SimilarPerson } from "@fieldroll/sync";
import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";
import { withHomeAddress } from "../model/address-form.ts";
import { candidateText } from "../model/candidate-text.ts";
import { closestSimilar, type Similar, sameTown } from "../model/household.ts";
import { likenessText } from "../model/likeness-text.ts";
import { changedPerson, emptyIndividual, type PersonValues } from "../model/person-form.ts";
import { nameText, placeText } from "../model/person-text.ts";
import type { RegistrationValues } from "../model/registration.ts";
import { texts } from "../texts.ts";

const mostShown = 10;
/** The most of one page. */
const wholePage = "500";
/** How long typing rests before the device looks, in milliseconds. */
const rest = 400;

/** People on this device who may be the one of a form, while it is filled in; without those in `dismissed`. */
export function useSimilarPeople(
  values: PersonValues,
  today: string,
  dismissed: ReadonlySet<string>,
): readonly Similar[] {
  const client = useFieldClient();
  const [found, setFound] = useState<readonly Similar[]>([]);
  const { photo: _photo, ...telling } = values;
  const asked = JSON.stringify(telling);
  useEffect(() => {
    let current = true;
    const look = async () => {
      const people = await similarPeople(client, { ...JSON.parse(asked), photo: "" }, today);
      if (current) setFound(people);
    };
    const timer = setTimeout(() => void look(), rest);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, asked, today]);
  return found.filter(({ reference, taken }) => taken || !dismissed.has(reference));
}

/** People on this device who may be somebody whose record is not used any more, without that one; `null` while they are looked for. */
export function useAlike(
  { reference, person }: { readonly reference: string; readonly person: Individual },
  today: string,
): readonly Similar[] | null {
  const client = useFieldClient();
  const [found, setFound] = useState<readonly Similar[] | null>(null);
  const asked = JSON.stringify(likenedPerson(person));
  useEffect(() => {
    let current = true;
    const look = async () => {
      const outcome = await client.findSimilar(JSON.parse(asked));
      if (current) setFound(outcome.ok ? outcome.value.map((each) => described(each, today)) : []);
    };
    void look();
    return () => {
      current = false;
    };
  }, [client, asked, today]);
  return (
    found &&
    closestSimilar(
      found.filter((each) => each.reference !== reference),
      mostShown,
    )
  );
}

function likenedPerson({ photo: _photo, ...person }: Individual): Likened {
  return person;
}

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
      const similar = await similarPeople(client, { ...person, address: values.address }, today);
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
      text: [texts.likeness.household, placeText(record.address)].filter(Boolean).join(" · "),
      closeness: sameTown(record.address, home) ? 6 : 2,
    }));
}

async function similarPeople(
  client: FieldClient,
  values: PersonValues,
  today: string,
): Promise<readonly Similar[]> {
  const outcome = await client.findSimilar(likened(values, today));
  return outcome.ok ? outcome.value.map((found) => described(found, today)) : [];
}

/** A person as far as the form is filled in. */
function likened(values: PersonValues, today: string): Likened {
  return likenedPerson(changedPerson(emptyIndividual, values, today));
}

function described({ reference, record, score, evidence }: SimilarPerson, today: string): Similar {
  return {
    reference,
    name: nameText(record.name),
    text: [...likenessText(evidence), candidateText(record, today, [])].filter(Boolean).join(" · "),
    closeness: score,
    ...(evidence.some(({ kind }) => kind === "identifier") && { taken: true }),
  };
}
