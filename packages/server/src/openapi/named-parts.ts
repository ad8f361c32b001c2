import { isJsonObject, type Json, type ResourceType } from "@fieldroll/core";
import { patchForm } from "./patch-form.ts";
import { object, ref, type Schema } from "./schema.ts";

/** Parts of records that the document names, and where each is found; what others hold comes first. */
const places: readonly (readonly [string, ResourceType, readonly string[]])[] = [
  ["Period", "Group", ["member", "period"]],
  ["Coding", "Individual", ["gender", "coding"]],
  ["CodeableConcept", "Individual", ["gender"]],
  ["Identifier", "Individual", ["identifier"]],
  ["HumanName", "Individual", ["name"]],
  ["Telecom", "Individual", ["telecom"]],
  ["PostalAddress", "Individual", ["address"]],
  ["IndividualReference", "Group", ["member", "entity"]],
  ["GroupMember", "Group", ["member"]],
  ["ProgramReference", "ProgramMembership", ["program"]],
  ["BeneficiaryReference", "ProgramMembership", ["beneficiary"]],
];

/** What bodies that are no records have, and records only derived. */
const group: readonly [string, Schema] = [
  "GroupReference",
  object(
    { reference: { type: "string", pattern: "^(Group)/." }, display: { type: "string" } },
    { optional: ["display"] },
  ),
];

interface NamedParts {
  readonly parts: Readonly<Record<string, Schema>>;
  /** Names by the text of the schema that they stand for. */
  readonly names: ReadonlyMap<string, string>;
}

/** Takes the parts that records share out of their schemas, so that the document says each once, by its name. What is sent to change a part is one as well. */
export function namedParts(records: Readonly<Record<ResourceType, Schema>>): NamedParts {
  const found = places.map(([name, type, path]) => [name, partAt(records[type], path)] as const);
  const patches = found
    .filter(([, { type }]) => type === "object")
    .map(([name, schema]) => [`${name}Patch`, patchForm(schema)] as const);
  const all = [...found, ...patches];
  const names = new Map([...all, group].map(([name, schema]) => [JSON.stringify(schema), name]));
  const parts = all.map(([name, schema]) => [name, withNamesBelow(schema, names)]);
  return {
    parts: {
      ...Object.fromEntries(parts),
      ...Object.fromEntries([group]),
    },
    names,
  };
}

/** Puts the names in the place of the parts, everywhere in a schema. */
export function withNames(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  const name = names.get(JSON.stringify(schema));
  return name === undefined ? withNamesBelow(schema, names) : ref(name);
}

function withNamesBelow(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, named(value, names)]));
}

function named(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => named(item, names));
  return isJsonObject(value) ? withNames(value, names) : value;
}

function partAt(schema: Schema, path: readonly string[]): Schema {
  const whole = isJsonObject(schema.items) ? schema.items : schema;
  const [member, ...rest] = path;
  if (member === undefined) return whole;
  const next = isJsonObject(whole.properties) ? whole.properties[member] : undefined;
  if (!isJsonObject(next)) throw new Error(`The schema has no member ${member}`);
  return partAt(next, rest);
}
