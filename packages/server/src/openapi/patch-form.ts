import { isJsonObject, type JsonObject } from "@fieldroll/core";
import { nullable, type Schema } from "./schema.ts";

/** A merge patch (RFC 7396): every member may be missing, and null clears one that is not required. */
export function patchForm(schema: Schema): Schema {
  if (schema.type !== "object") return schema;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(propertiesOf(schema)).map(([name, member]) => {
    const changed = patchForm(withoutDefault(member));
    return [name, required.includes(name) ? changed : nullable(changed)];
  });
  const { required: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties) };
}

export function withoutDefault(schema: Schema): Schema {
  const { default: _, ...rest } = schema;
  return rest;
}

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return isJsonObject(schema.properties) ? (schema.properties as Record<string, JsonObject>) : {};
}
