import {
  compareCodeUnits,
  consentTermsSchema,
  createSchemas,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonSchemaOf,
  type RegistryFacts,
  type ResourceType,
} from "@fieldroll/core";

/** Puts the members of a line in one order, whichever way they came to be there. */
export type InOrder = (line: JsonObject) => JsonObject;

/** The order of members for each type of line: as schemas list them, then others by their names. */
export interface MemberOrder {
  readonly record: (type: ResourceType) => InOrder;
  readonly consent: InOrder;
  /** Of what has no schema here: by their names. */
  readonly byName: InOrder;
}

/** Takes the order from a registry's schemas. */
export function memberOrder({ extensions }: Pick<RegistryFacts, "extensions">): MemberOrder {
  const schemas = createSchemas({ today: () => "", namespace: "service", extensions });
  const declared = extensions.map(({ name, schema }) => [name, jsonSchemaOf(schema, "output")] as const);
  const extension = { properties: Object.fromEntries(declared) };
  const orderOf = (type: ResourceType): InOrder => {
    const { properties } = jsonSchemaOf(schemas[type], "output");
    const all = isJsonObject(properties) ? properties : {};
    const schema: JsonObject = { properties: { ...all, ...("extension" in all && { extension }) } };
    return (record) => orderedObject(record, schema);
  };
  const orders: Readonly<Record<ResourceType, InOrder>> = {
    Individual: orderOf("Individual"),
    Group: orderOf("Group"),
    Program: orderOf("Program"),
    ProgramMembership: orderOf("ProgramMembership"),
  };
  const { properties: terms } = jsonSchemaOf(consentTermsSchema, "output");
  const consent = { properties: { type: {}, id: {}, status: {}, ...(isJsonObject(terms) ? terms : {}) } };
  return {
    record: (type) => orders[type],
    consent: (line) => orderedObject(line, consent),
    byName: (line) => orderedObject(line, undefined),
  };
}

function ordered(value: Json, schema: Json | undefined): Json {
  if (isJsonObject(value)) return orderedObject(value, schema);
  if (!Array.isArray(value)) return value;
  const items = isJsonObject(schema) ? schema.items : undefined;
  return value.map((item: Json) => ordered(item, items));
}

function orderedObject(value: JsonObject, schema: Json | undefined): JsonObject {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
  const listed = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return Object.fromEntries(
    [...listed, ...others.toSorted(compareCodeUnits)].map((name) => [
      name,
      ordered(value[name] ?? null, properties[name]),
    ]),
  );
}
