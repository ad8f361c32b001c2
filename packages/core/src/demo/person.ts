import type { JsonObject } from "../json.ts";
import type { Area } from "./areas.ts";
import { daysBefore, yearsBefore } from "./days.ts";
import type { Place } from "./family.ts";
import type { PersonName } from "./naming.ts";
import type { Choices } from "./random.ts";

/** A person of a household, with an address of its own under which the record is reached. */
export interface Person {
  readonly place: Place;
  readonly reference: string;
  readonly record: JsonObject;
}

/** What the people of one household share. */
export interface Setting {
  readonly area: Area;
  readonly address: JsonObject;
  readonly today: string;
  readonly namespace: string;
  readonly choices: Choices;
}

/** Makes the record of one person. */
export function personRecord(place: Place & { readonly name: PersonName }, setting: Setting): Person {
  const { namespace, choices, address } = setting;
  const system = `urn:${namespace}:person`;
  const value = choices.uuid();
  const telecom = phones(place, setting);
  const record: JsonObject = {
    type: "Individual",
    identifier: [{ system, value }, ...nationalIds(place, setting)],
    active: true,
    name: place.name,
    ...birth(place, setting),
    gender: gender(place),
    ...(telecom.length > 0 && { telecom }),
    address: [address],
  };
  return { place, reference: `Individual/${system}|${value}`, record };
}

/** People who do not know their day of birth get the first of January of about the right year. */
function birth({ age }: Place, { today, choices }: Setting): JsonObject {
  const exact = daysBefore(yearsBefore(today, age), choices.between(1, 364));
  const estimated = choices.chance(age >= 60 ? 0.6 : age >= 18 ? 0.3 : 0.06);
  if (!estimated) return { birthDate: exact, birthDateEstimated: false };
  return { birthDate: `${exact.slice(0, 4)}-01-01`, birthDateEstimated: true };
}

function gender({ sex }: Place): JsonObject {
  const coding = sex === "male" ? { code: "1", display: "Male" } : { code: "2", display: "Female" };
  return { coding: [{ system: "urn:iso:std:iso:5218", ...coding }] };
}

function nationalIds({ age }: Place, { area, choices }: Setting): readonly JsonObject[] {
  if (!choices.chance(age >= 18 ? 0.6 : 0.15)) return [];
  return [{ system: area.nationalId, value: [4, 4, 4].map((count) => choices.digits(count)).join("-") }];
}

function phones({ age, role }: Place, { area, choices }: Setting): readonly JsonObject[] {
  if (age < 15 || !choices.chance(role === "head" ? 0.85 : 0.45)) return [];
  const phone = (rank: number) => ({
    system: "phone",
    value: `${area.phone}${choices.digits(area.phoneDigits)}`,
    use: "mobile",
    rank,
  });
  return choices.chance(0.1) ? [phone(1), phone(2)] : [phone(1)];
}
