import type { Json, JsonObject } from "@fieldroll/core";

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type Schema = JsonObject;

/** Points at a schema of the document's components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with these members and no others; all are required but the `optional` ones. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  more: { readonly optional?: readonly string[]; readonly description?: string } = {},
): Schema {
  const { optional = [], description } = more;
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export function listOf(items: Schema, description?: string): Schema {
  return { type: "array", items, ...(description === undefined ? {} : { description }) };
}

/** The same schema, or null; an object with members stays whole, so that it may have a name. */
export function nullable(schema: Schema): Schema {
  const mayStandBesideNull = !["const", "enum", "properties"].some((member) => Object.hasOwn(schema, member));
  if (typeof schema.type === "string" && mayStandBesideNull) {
    return { ...schema, type: [schema.type, "null"] };
  }
  return { anyOf: [schema, { type: "null" }] };
}

export function text(description: string, more: JsonObject = {}): Schema {
  return { type: "string", description, ...more };
}

export function wholeNumber(description: string, more: JsonObject = {}): Schema {
  return { type: "integer", description, ...more };
}

export function truth(description: string): Schema {
  return { type: "boolean", description };
}

export function date(description: string): Schema {
  return text(description, { format: "date" });
}

export function instant(description: string): Schema {
  return text(description, { format: "date-time" });
}

export function uuid(description: string): Schema {
  return text(description, { format: "uuid" });
}

export function oneWord(words: readonly string[], description: string): Schema {
  return text(description, { enum: [...words] });
}

export function always(value: Json, description?: string): Schema {
  return { const: value, ...(description === undefined ? {} : { description }) };
}
