import type { JsonObject } from "../json.ts";
import { type Area, weightedAreas } from "./areas.ts";
import { daysBefore } from "./days.ts";
import { planFamily } from "./family.ts";
import { nameFamily } from "./naming.ts";
import { type Person, personRecord } from "./person.ts";
import type { Choices } from "./random.ts";

/** A household and its people, before anyone is enrolled. */
export interface Household {
  readonly people: readonly Person[];
  readonly reference: string;
  readonly record: JsonObject;
  /** When the household came into the registry, `YYYY-MM-DD`. */
  readonly registered: string;
}

/** Makes the records of one household; `choices` decides all of it. */
export function household(choices: Choices, today: string, namespace: string): Household {
  const area = choices.weighted(weightedAreas);
  const setting = { area, address: addressIn(area, choices), today, namespace, choices };
  const named = nameFamily(planFamily(choices), area.culture, choices);
  const people = named.map((place) => personRecord(place, setting));
  const system = `urn:${namespace}:group`;
  const value = choices.uuid();
  const registered = daysBefore(today, choices.between(20, 1500));
  const record: JsonObject = {
    type: "Group",
    identifier: [{ system, value }],
    active: true,
    groupType: "household",
    name: area.culture.household(named[0]?.name.family ?? ""),
    member: people.map((person) => member(person, registered, namespace)),
    address: [setting.address],
  };
  return { people, reference: `Group/${system}|${value}`, record, registered };
}

const roleNames = {
  head: "Head",
  spouse: "Spouse",
  child: "Child",
  child_in_law: "Child-in-law",
  grandchild: "Grandchild",
  parent: "Parent",
  parent_in_law: "Parent-in-law",
  sibling: "Sibling",
  other_relative: "Other relative",
  non_relative: "Not related",
} as const;

/** Babies are members from birth, the others from the day the household was registered. */
function member({ reference, place, record }: Person, registered: string, namespace: string): JsonObject {
  const born = String(record.birthDate);
  const coding = {
    system: `urn:${namespace}:vocab:relationship`,
    code: place.role,
    display: roleNames[place.role],
  };
  return {
    entity: { reference },
    role: { coding: [coding] },
    period: { start: born > registered ? born : registered },
  };
}

function addressIn(area: Area, choices: Choices): JsonObject {
  const [first, ...more] = area.streets;
  const street = first === undefined ? [] : [`${choices.between(1, 240)} ${choices.pick([first, ...more])}`];
  return {
    type: "physical",
    ...(street.length > 0 && { line: street }),
    district: choices.pick(area.districts),
    city: area.city,
    state: area.state,
    ...(area.postalCode !== undefined && { postalCode: area.postalCode }),
    country: area.country,
  };
}
