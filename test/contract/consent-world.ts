import type { RegistryConfig } from "@fieldroll/core";
import { household, person, program, type stores } from "./fixture.ts";
import { consentClients, seed, startWorld, type World } from "./world.ts";

export const ana = "Individual/urn:gov:ph:nid|1";
export const ben = "Individual/urn:gov:ph:nid|2";
export const cora = "Individual/urn:gov:ph:nid|3";
/** Ana's and Cora's household; Ben was a member once. */
export const home = "Group/urn:service:group|home";
export const stay = "ProgramMembership/urn:m|ana";
export const householdStay = "ProgramMembership/urn:m|home";

const address = [{ type: "physical", city: "Imus", state: "Cavite", country: "PH" }];
const female = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] };

/** Everything that an Individual may hold. */
export function wholePerson(value: string, given: string) {
  return person(value, {
    name: { family: "Reyes", given, middle: "Luna" },
    birthDate: `199${value}-02-03`,
    gender: female,
    telecom: [{ system: "phone", value: `+63900000000${value}` }],
    address,
    extension: { farmer: { farmSize: 2 }, disability: { assistanceNeeded: true } },
  });
}

const member = (reference: string, more: object = {}) => ({ entity: { reference }, ...more });

/** Three people, the household of two of them, and an enrollment of Ana and one of the household. */
export async function consentWorld(
  open: (typeof stores)[number][1],
  registry: Partial<RegistryConfig> = {},
  clients: typeof consentClients = [],
): Promise<World> {
  const world = await startWorld({ open, clients: [...consentClients, ...clients], registry });
  const members = [member(ana), member(cora), member(ben, { period: { end: "2025-01-01" } })];
  const forPeople = {
    identifier: [{ system: "urn:service:program", value: "people" }],
    targetType: "individual",
  };
  const enrollment = (id: string, programId: string, beneficiary: string) => ({
    type: "ProgramMembership",
    identifier: [{ system: "urn:m", value: id }],
    program: { reference: `Program/urn:service:program|${programId}` },
    beneficiary: { reference: beneficiary },
    status: "enrolled",
  });
  await seed(world, [
    wholePerson("1", "Ana"),
    wholePerson("2", "Ben"),
    wholePerson("3", "Cora"),
    household("home", [], { member: members, address }),
    program,
    { ...program, ...forPeople },
    enrollment("ana", "people", ana),
    enrollment("home", "cash", home),
  ]);
  return world;
}

/** Names of an answer's members, sorted. */
export function membersOf(body: object): readonly string[] {
  return Object.keys(body).sort();
}

/** Values of the first identifiers of a page's records, sorted. */
export function found(body: { readonly data: readonly { identifier: { value: string }[] }[] }) {
  return body.data.map(({ identifier }) => identifier[0]?.value).sort();
}
