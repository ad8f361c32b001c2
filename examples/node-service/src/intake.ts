import {
  applyMergePatch,
  type Conflict,
  diffMergePatch,
  failure,
  type Group,
  type Individual,
  type JsonObject,
  merge,
  type Outcome,
  type Page,
  type RegistryView,
  resourceShapes,
  success,
  type WriteEntry,
  type Written,
} from "@fieldroll/core";

/** The identifier systems of this service. */
export const systems = {
  person: "urn:example:person",
  household: "urn:service:group",
  program: "urn:service:program",
} as const;

/** A household as a clerk's form has it; the first person is its head. */
export interface HouseholdForm {
  readonly number: string;
  readonly name: string;
  readonly persons: readonly { readonly number: string; readonly family: string; readonly given: string }[];
}

/** What came of a correction: saved, or fields on which someone else decided otherwise meanwhile. */
export type Correction =
  | { readonly saved: true; readonly record: Individual; readonly merged: boolean }
  | { readonly saved: false; readonly conflicts: readonly Conflict[] };

/** The persons, the household and its enrollment in a program: all of them are registered, or nothing is. */
export function registerHousehold(
  registry: RegistryView,
  form: HouseholdForm,
  program: string,
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  const persons = form.persons.map(({ number, family, given }): WriteEntry => {
    const body = {
      type: "Individual",
      identifier: [{ system: systems.person, value: number }],
      name: { family, given },
    };
    return { verb: "create", type: "Individual", body };
  });
  const member = form.persons.map(({ number }, i) => ({
    entity: { reference: `Individual/${systems.person}|${number}` },
    role: { coding: [{ system: "urn:service:vocab:relationship", code: i === 0 ? "head" : "child" }] },
  }));
  const identifier = [{ system: systems.household, value: form.number }];
  const group = { type: "Group", identifier, groupType: "household", name: form.name, member };
  const membership = {
    type: "ProgramMembership",
    program: { reference: `Program/${systems.program}|${program}` },
    beneficiary: { reference: `Group/${systems.household}|${form.number}` },
    status: "enrolled",
  };
  return registry.transaction([
    ...persons,
    { verb: "create", type: "Group", body: group },
    { verb: "create", type: "ProgramMembership", body: membership },
  ]);
}

/** Finds households by a part of their name. */
export function findHouseholds(registry: RegistryView, name: string): Promise<Outcome<Page<Group>>> {
  return registry.groups.search({ name, groupType: "household", limit: "10" });
}

/**
 * Changes a person as a clerk saw them. If someone was quicker, the two changes are merged: fields that only one of
 * the two touched are kept from both, and a field that both changed comes back as a question.
 *
 * @param seen The record on the clerk's screen, with its version.
 * @param change A merge patch (RFC 7396).
 */
export async function correct(
  registry: RegistryView,
  seen: Individual,
  change: JsonObject,
): Promise<Outcome<Correction>> {
  const [address] = seen.identifier;
  if (!address) return failure({ kind: "bad-request", detail: "The person has no identifier." });
  const base = seen as unknown as JsonObject;
  const send = (patch: JsonObject, version: string | undefined) =>
    registry.individuals.patch(address, patch, { ifMatch: [version ?? ""] });

  const first = await send(change, seen.meta?.versionId);
  if (first.ok) return success({ saved: true, record: first.value.record, merged: false });
  if (first.problem.kind !== "conflict") return first;

  const current = await registry.individuals.read(address);
  if (!current.ok) return current;
  const theirs = current.value as unknown as JsonObject;
  const ours = applyMergePatch(base, change) as JsonObject;
  const { merged, conflicts } = merge({ base, ours, theirs, shape: resourceShapes.Individual });
  if (conflicts.length > 0) return success({ saved: false, conflicts });
  const second = await send(diffMergePatch(theirs, merged), current.value.meta?.versionId);
  return second.ok ? success({ saved: true, record: second.value.record, merged: true }) : second;
}
