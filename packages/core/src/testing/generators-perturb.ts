import fc from "fast-check";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { membershipStatuses } from "../resource/membership-status.ts";
import {
  arbitraryAddresses,
  arbitraryDate,
  arbitraryGender,
  arbitraryIdentifiers,
  arbitraryMembers,
  arbitraryPeriod,
  arbitraryStay,
  arbitraryTelecoms,
  arbitraryWord,
} from "./generators.ts";

/** One change of a record; answers a new record. */
type Edit = (record: JsonObject) => JsonObject;

type Fields = Readonly<Record<string, fc.Arbitrary<Json>>>;

/** What may be set, by resource type. Members in `optional` may also be taken away. */
interface Editable {
  readonly fields: Fields;
  readonly optional: readonly string[];
  /** Arrays that are also changed item by item: to pick from when one is added. */
  readonly arrays: Readonly<Record<string, fc.Arbitrary<readonly Json[]>>>;
}

const nameEdits = fc.constantFrom("family", "given", "middle");

const individual: Editable = {
  fields: {
    birthDate: arbitraryDate,
    birthDateEstimated: fc.boolean(),
    active: fc.boolean(),
    gender: arbitraryGender,
  },
  optional: ["birthDate", "birthDateEstimated", "gender", "telecom", "address"],
  arrays: { telecom: arbitraryTelecoms, address: arbitraryAddresses, identifier: arbitraryIdentifiers() },
};

/** People to add to a group: none as its head, for it may have one. */
const arbitraryFollowers = arbitraryMembers().map((members) =>
  members.filter(({ role }) => !role?.coding?.some(({ code }) => code === "head")),
);

const group: Editable = {
  fields: { name: arbitraryWord, active: fc.boolean() },
  optional: ["member", "address"],
  arrays: {
    member: arbitraryFollowers,
    address: arbitraryAddresses,
    identifier: arbitraryIdentifiers("urn:service:group"),
  },
};

const program: Editable = {
  fields: { name: arbitraryWord, description: arbitraryWord, period: arbitraryPeriod },
  optional: ["description", "period", "eligibilityCriteria"],
  arrays: { identifier: arbitraryIdentifiers("urn:service:program") },
};

function setting(fields: Fields): fc.Arbitrary<Edit>[] {
  return Object.entries(fields).map(([name, values]) =>
    values.map<Edit>((value) => (record) => ({ ...record, [name]: value })),
  );
}

function removing(names: readonly string[]): fc.Arbitrary<Edit>[] {
  return names.map((name) =>
    fc.constant<Edit>((record) => Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))),
  );
}

const naming: fc.Arbitrary<Edit> = fc
  .tuple(nameEdits, arbitraryWord)
  .map<Edit>(([part, word]) => (record) => ({
    ...record,
    name: { ...(isJsonObject(record.name) ? record.name : {}), [part]: word },
  }));

/** Adds an item, takes one away, or swaps one for another of the same kind; the first item always stays. */
function items([name, pool]: [string, fc.Arbitrary<readonly Json[]>]): fc.Arbitrary<Edit> {
  return fc
    .tuple(fc.constantFrom("add", "remove", "alter"), fc.nat({ max: 3 }), pool)
    .map<Edit>(([kind, at, others]) => (record) => {
      const present = Array.isArray(record[name]) ? (record[name] as readonly Json[]) : [];
      return { ...record, [name]: edited(name, kind, { present, at, other: others[0] }) };
    });
}

function edited(
  name: string,
  kind: string,
  {
    present,
    at,
    other,
  }: { readonly present: readonly Json[]; readonly at: number; readonly other: Json | undefined },
): readonly Json[] {
  const known = new Set(present.map((item) => identityOf(name, item)));
  if (kind === "add") return other && !known.has(identityOf(name, other)) ? [...present, other] : present;
  if (kind === "remove") return present.filter((_, i) => i === 0 || i !== at);
  return present.map((item, i) =>
    i === at && isJsonObject(item) && isJsonObject(other) ? altered(name, item, other) : item,
  );
}

const identifying: Readonly<Record<string, readonly string[]>> = {
  identifier: ["system", "value"],
  telecom: ["system", "use", "value"],
  address: ["type"],
  member: ["entity"],
};

function identityOf(name: string, item: Json): string {
  return JSON.stringify((identifying[name] ?? []).map((part) => (isJsonObject(item) ? item[part] : item)));
}

/** The same item with another's details; a member keeps its role, so that a group keeps its one head. */
function altered(name: string, item: JsonObject, other: JsonObject): JsonObject {
  const kept = [...(identifying[name] ?? []), ...(name === "member" ? ["role"] : [])];
  const keptParts = Object.entries(item).filter(([key]) => kept.includes(key));
  return {
    ...Object.fromEntries(Object.entries(other).filter(([key]) => !kept.includes(key))),
    ...Object.fromEntries(keptParts),
  };
}

const moving: fc.Arbitrary<Edit> = fc
  .constantFrom(...membershipStatuses)
  .chain(arbitraryStay)
  .map<Edit>((stay) => (record) => {
    const { enrollmentDate: _enrolled, exitDate: _exited, exitReason: _reason, ...rest } = record;
    return { ...rest, ...stay };
  });

function edits({ fields, optional, arrays }: Editable): fc.Arbitrary<Edit>[] {
  return [...setting(fields), ...removing(optional), ...Object.entries(arrays).map(items)];
}

const editsByType: Readonly<Record<string, fc.Arbitrary<Edit>>> = {
  Individual: fc.oneof(naming, ...edits(individual)),
  Group: fc.oneof(...edits(group)),
  Program: fc.oneof(...edits(program)),
  ProgramMembership: moving,
};

/**
 * The record after a few edits of the kind people make, still valid: fields set and removed; items added, removed
 * and altered. Two perturbations of one record are correlated, as two enumerators' edits are.
 *
 * @param most edits; none is possible. Default 3.
 */
export function perturb<T extends JsonObject>(record: T, most = 3): fc.Arbitrary<T> {
  const one = editsByType[String(record.type)];
  if (!one) return fc.constant(record);
  return fc
    .array(one, { maxLength: most })
    .map((list) => list.reduce<JsonObject>((state, edit) => edit(state), record) as T);
}

/** One record and two perturbations of it. */
export interface Diverged<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** A record of which two people each edited a copy, with at most so many edits each. Default 3. */
export function arbitraryDiverged<T extends JsonObject>(
  records: fc.Arbitrary<T>,
  most = 3,
): fc.Arbitrary<Diverged<T>> {
  return records.chain((base) =>
    fc.tuple(perturb(base, most), perturb(base, most)).map(([ours, theirs]) => ({ base, ours, theirs })),
  );
}
