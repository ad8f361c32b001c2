import { type Outcome, unwrap } from "../../problem.ts";
import { disability, farmer } from "../../resource/extensions.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import type { Page, RegistryConfig, RegistryView, SearchParameters } from "../types.ts";

const relationship = "urn:service:vocab:relationship";

export function person(value: string, more: object = {}) {
  return {
    type: "Individual",
    identifier: [{ system: "urn:id", value }],
    name: { family: "Reyes", given: `Person ${value}` },
    ...more,
  };
}

export function member(value: string, role?: string, more: object = {}) {
  return {
    entity: { reference: `Individual/urn:id|${value}` },
    ...(role !== undefined && { role: { coding: [{ system: relationship, code: role }] } }),
    ...more,
  };
}

export function group(value: string, members: readonly object[], more: object = {}) {
  return {
    type: "Group",
    identifier: [{ system: "urn:group", value }],
    groupType: "household",
    name: `Group ${value}`,
    member: members,
    ...more,
  };
}

const people = [
  person("p1", {
    name: { family: "Reyes", given: "Ana", prefix: "Dr" },
    birthDate: "1990-01-01",
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] },
    telecom: [{ system: "phone", value: "+63917" }],
    address: [{ line: ["1 Main Street"], city: "Imus", country: "PH" }],
    photo: "data:image/jpeg;base64,/9j/2gAC/9k=",
    extension: { farmer: { farmSize: 2 } },
  }),
  person("p2", {
    identifier: [
      { system: "urn:id", value: "p2" },
      { system: "urn:other", value: "2,2" },
    ],
    name: { family: "Cruz", given: "José" },
    birthDate: "1985-05-05",
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "1" }] },
  }),
  person("p3", { name: { family: "Reyes", given: "Maria" }, active: false }),
  person("p4", { name: { text: "Lone Wolf" } }),
  person("p5", { name: { family: "Santos" }, birthDate: "2001-12-31" }),
];

const groups = [
  group("g1", [member("p1", "head"), member("p2", "spouse")], {
    identifier: [
      { system: "urn:group", value: "g1" },
      { system: "urn:old", value: "1" },
    ],
    address: [{ city: "Kawit", country: "PH" }],
  }),
  group("g2", [member("p2", "head"), member("p5", "child", { period: { end: "2025-12-31" } })], {
    groupType: "family",
    name: "Peña",
  }),
  group("g3", [member("p4", "head")], { active: false }),
  group("g4", [member("p3", "head"), member("p1", undefined, { inactive: true })]),
];

const programs = [
  { value: "cash", period: { start: "2025-01-01" }, targetType: "group" },
  { value: "over", period: { start: "2020-01-01", end: "2025-12-31" }, targetType: "individual" },
].map(({ value, ...more }) => ({
  type: "Program",
  identifier: [{ system: "urn:program", value }],
  name: `Program ${value}`,
  programType: { coding: [{ system: "urn:type", code: value }] },
  ...more,
}));

const memberships = [
  ["m1", "Group/urn:group|g1", "enrolled", "2026-01-01"],
  ["m2", "Group/urn:group|g2", "draft"],
].map(([value, beneficiary, status, enrollmentDate]) => ({
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value }],
  program: { reference: "Program/urn:program|cash" },
  beneficiary: { reference: beneficiary },
  status,
  ...(enrollmentDate !== undefined && { enrollmentDate }),
}));

/** A small register in memory: five people, one archived; four groups, one archived; two programs, one over. */
export async function openWorld(config: Partial<RegistryConfig> = {}) {
  const test = createTestRegistry({ extensions: [farmer, disability], ...config });
  for (const body of people) {
    unwrap(await test.view.individuals.create(body));
    test.advance({ milliseconds: 1 });
  }
  for (const body of groups) unwrap(await test.view.groups.create(body));
  for (const body of programs) unwrap(await test.view.programs.create(body));
  for (const body of memberships) unwrap(await test.view.memberships.create(body));
  return test;
}

export const verbs = {
  Individual: "individuals",
  Group: "groups",
  Program: "programs",
  ProgramMembership: "memberships",
} as const;

type Searchable = keyof typeof verbs;

/** Parameters written as on an address line, not percent-encoded. */
export function parametersOf(query: string): SearchParameters {
  const parameters = new Map<string, string[]>();
  for (const part of query === "" ? [] : query.split("&")) {
    const at = part.indexOf("=");
    const name = part.slice(0, at);
    parameters.set(name, [...(parameters.get(name) ?? []), part.slice(at + 1)]);
  }
  return Object.fromEntries(parameters);
}

/** A record found, as far as these tests look at it. */
export type Searched = Readonly<Record<string, unknown>> & {
  readonly identifier: readonly { readonly value: string }[];
};

/** Searches one type by parameters written as on an address line. */
export function searchIn(
  view: RegistryView,
  type: Searchable,
  query: string,
): Promise<Outcome<Page<Searched>>> {
  return searchBy(view, type, parametersOf(query));
}

/** Searches one type. */
export function searchBy(
  view: RegistryView,
  type: Searchable,
  parameters: SearchParameters,
): Promise<Outcome<Page<Searched>>> {
  return view[verbs[type]].search(parameters) as Promise<Outcome<Page<Searched>>>;
}

/** The first identifiers' values of what a search finds. */
export async function found(view: RegistryView, type: Searchable, query: string): Promise<readonly string[]> {
  return valuesOf(unwrap(await searchIn(view, type, query)));
}

export function valuesOf({ data }: { readonly data: readonly Pick<Searched, "identifier">[] }) {
  return data.map(({ identifier }) => identifier[0]?.value ?? "");
}
