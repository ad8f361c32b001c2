import type { Json, JsonObject } from "../../json.ts";
import { type Outcome, type Problem, unwrap } from "../../problem.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Store } from "../../store/port.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import type { RegistryView } from "../types.ts";
import type { BatchAnswer } from "./types.ts";

export const role = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };

export function person(value: string, family = "Reyes"): JsonObject {
  return { type: "Individual", identifier: [{ system: "urn:gov:id", value }], name: { family } };
}

export function group(value: string, ...members: readonly string[]): JsonObject {
  return {
    type: "Group",
    identifier: [{ system: "urn:service:group", value }],
    groupType: "household",
    name: `Household ${value}`,
    member: members.map((reference) => ({ entity: { reference } })),
  };
}

export function enrollment(beneficiary: string, status = "draft"): JsonObject {
  return {
    type: "ProgramMembership",
    program: { reference: "Program/urn:service:program|cash" },
    beneficiary: { reference: beneficiary },
    status,
  };
}

export interface Options {
  readonly ifMatch?: string;
  readonly fullUrl?: string;
}

export function entry(line: string, resource?: Json, { ifMatch, fullUrl }: Options = {}): JsonObject {
  const [method = "", url = ""] = line.split(/ (.*)/);
  return {
    ...(fullUrl !== undefined && { fullUrl }),
    request: { method, url, ...(ifMatch !== undefined && { ifMatch }) },
    ...(resource !== undefined && { resource }),
  };
}

export const adding = (value: string, more = {}) => ({
  entity: { reference: `Individual/urn:gov:id|${value}` },
  ...more,
});
export const add = (body: JsonObject, to = "a", more = {}) =>
  entry(`POST Group/urn:service:group|${to}/$add-member`, body, more);
export const patch = (value: string, body: JsonObject, ifMatch = "*") =>
  entry(`PATCH Individual/urn:gov:id|${value}`, body, { ifMatch });

export const patchGroup = (value: string, body: JsonObject) =>
  entry(`PATCH Group/urn:service:group|${value}`, body, { ifMatch: "*" });
export const enrolling = (value: string) =>
  entry("POST ProgramMembership", {
    ...enrollment(`Group/urn:service:group|${value}`, "enrolled"),
    identifier: [{ system: "urn:service:program-membership", value }],
  });

export function bundle(type: string, ...entries: readonly Json[]): JsonObject {
  return { resourceType: "Bundle", type, entry: entries };
}

export const p1 = "urn:uuid:01930000-0000-7000-8000-00000000000a";
export const p2 = "urn:uuid:01930000-0000-7000-8000-00000000000b";

/** With Ana (1), Ben (2), a household a with Ana as head, and a program for groups. */
export async function open(store: Store = createMemoryStore()) {
  const test = createTestRegistry({ store });
  const { view } = test;
  unwrap(await view.individuals.create(person("1")));
  unwrap(await view.individuals.create(person("2")));
  const household = group("a");
  const member = [{ entity: { reference: "Individual/urn:gov:id|1" }, role }];
  unwrap(await view.groups.create({ ...household, member }));
  const identifier = [{ system: "urn:service:program", value: "cash" }];
  unwrap(await view.programs.create({ type: "Program", identifier, name: "Cash", targetType: "group" }));
  return test;
}

export function problemOf(outcome: Outcome<unknown>): Problem {
  if (outcome.ok) throw new Error("it succeeded");
  return outcome.problem;
}

export const faultsOf = (outcome: Outcome<unknown>) =>
  problemOf(outcome).errors?.map(({ field, code }) => `${field} ${code}`);

export const statuses = (outcome: Outcome<BatchAnswer>) =>
  unwrap(outcome).responses.map(({ status }) => status);

export async function everything(view: RegistryView): Promise<readonly (readonly unknown[])[]> {
  const found = await Promise.all([
    view.individuals.search({ active: "any" }),
    view.groups.search({ active: "any" }),
    view.memberships.search(),
  ]);
  return found.map((page) => unwrap<{ data: readonly unknown[] }>(page).data);
}
