import { isJsonObject, type Json, type JsonObject, jsonSchemaOf } from "@fieldroll/core";
import type { Schema } from "./schema.ts";

type Validator = Parameters<typeof jsonSchemaOf>[0];

/**
 * What a validator takes, as a schema that can stand in the document: without definitions of its own, which only describe "any
 * JSON", and without defaults, for which generators of clients take a member to be there always.
 */
export function portableSchema(validator: Validator): Schema {
  return portable(jsonSchemaOf(validator, "input"));
}

function portable(schema: Schema): Schema {
  if (typeof schema.$ref === "string") return {};
  const { $defs: _, default: __, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, portablePart(key, value)]));
}

function portablePart(key: string, value: Json): Json {
  if (key === "properties" && isJsonObject(value)) return membersOf(value);
  if (["anyOf", "oneOf", "allOf"].includes(key) && Array.isArray(value)) {
    return value.map((one: Json) => (isJsonObject(one) ? portable(one) : one));
  }
  return ["items", "additionalProperties"].includes(key) && isJsonObject(value) ? portable(value) : value;
}

function membersOf(properties: JsonObject): JsonObject {
  const members = Object.entries(properties).map(([name, member]): [string, Json] => [
    name,
    isJsonObject(member) ? portable(member) : member,
  ]);
  return Object.fromEntries(members);
}
