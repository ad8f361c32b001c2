import {
  type FieldError,
  type Json,
  type JsonObject,
  type Outcome,
  type Problem,
  referenceTo,
  relationshipSystem,
} from "@fieldroll/core";
import type { EditableType, HeldRecord } from "../service-types.ts";
import type { HouseholdRegistration, RegisteredHousehold } from "../types.ts";

/** A record to be made. Its body may name another type than it is made as: that is for the registry to refuse. */
export interface NewBody {
  readonly type: EditableType;
  readonly body: JsonObject;
}

/** Gives a record what the device gives: its type, and an identifier when it has none. */
export type Identify = (type: EditableType, record: JsonObject) => NewBody;

/** The bodies of a household's records, people first, and where in the registration each comes from. */
export interface HouseholdBodies {
  readonly bodies: readonly NewBody[];
  /** What a fault's JSON pointer into a body is in the registration, one per body. */
  readonly places: readonly Place[];
}

type Place = (field: string) => string;

/**
 * Takes a registration apart into records that refer to each other by identifiers the device gives.
 *
 * @param namespace of the vocabulary of roles
 */
export function householdBodies(
  household: HouseholdRegistration,
  identify: Identify,
  namespace = "service",
): HouseholdBodies {
  const system = relationshipSystem(namespace);
  const people = household.members.map(({ individual }) => identify("Individual", asJson(individual)));
  const member = household.members.map(({ role }, i): JsonObject => {
    const entity = { reference: referenceTo("Individual", people[i]?.body ?? {}) };
    return role === undefined ? { entity } : { entity, role: { coding: [{ system, code: role }] } };
  });
  const given = asJson(household.group);
  const others = Array.isArray(given.member) ? (given.member as readonly Json[]) : [];
  const group = identify("Group", { groupType: "household", ...given, member: [...others, ...member] });
  const beneficiary = { reference: referenceTo("Group", group.body) };
  const memberships = (household.enrollIn ?? []).map((program) =>
    identify("ProgramMembership", { program: { reference: program }, beneficiary, status: "enrolled" }),
  );
  return {
    bodies: [...people, group, ...memberships],
    places: [
      ...people.map((_, i) => (field: string) => `/members/${i}/individual${field}`),
      (field) => placeInGroup(field, others.length),
      // All else of it is the device's.
      ...memberships.map((_, i) => () => `/enrollIn/${i}`),
    ],
  };
}

/** Of a household's members those come first that its own record names. */
function placeInGroup(field: string, others: number): string {
  const [, nth, rest = ""] = /^\/member\/(\d+)(\/.*)?$/.exec(field) ?? [];
  if (nth === undefined || Number(nth) < others) return `/group${field}`;
  const member = `/members/${Number(nth) - others}`;
  return rest.startsWith("/role") ? `${member}/role` : `${member}/individual`;
}

/** Hands the records back in the registration's terms. */
export function registered(
  outcome: Outcome<readonly HeldRecord[]>,
  people: number,
  places: readonly Place[],
): Outcome<RegisteredHousehold> {
  if (!outcome.ok) return { ok: false, problem: placed(outcome.problem, places) };
  const held = outcome.value as unknown as readonly RegisteredHousehold["group"][];
  const group = held[people];
  if (!group) throw new TypeError("A registration without a group can't have been stored.");
  return {
    ok: true,
    value: {
      group,
      members: held.slice(0, people) as unknown as RegisteredHousehold["members"],
      memberships: held.slice(people + 1) as unknown as RegisteredHousehold["memberships"],
    },
  };
}

/** A problem of one record, its fields named as the registration names them. */
function placed(told: Problem, places: readonly Place[]): Problem {
  const { entry = -1, ...problem } = told;
  const place = places[entry];
  const [first] = problem.errors ?? [];
  if (!place || !problem.errors || !first) return told;
  const errors = problem.errors.map((error): FieldError => ({ ...error, field: place(error.field) }));
  const isNamed = problem.detail.startsWith(`${first.field}:`);
  const detail = isNamed
    ? `${place(first.field)}${problem.detail.slice(first.field.length)}`
    : problem.detail;
  return { ...problem, detail, errors };
}

function asJson(record: unknown): JsonObject {
  return record as JsonObject;
}
