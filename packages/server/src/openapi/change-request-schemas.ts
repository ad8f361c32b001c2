import { isJsonObject, type Json, type JsonObject, jsonSchemaOf } from "@fieldroll/core";
import type { DocumentContext } from "./context.ts";
import { always, object, oneWord, type Schema, text, truth } from "./schema.ts";

/** What is submitted: one form for each type of change that the deployment declares. */
export function changeRequestBody({ changeRequestTypes }: DocumentContext): Schema {
  const forms = changeRequestTypes.map(({ name, schema, auto }) => {
    const description = auto
      ? `A change of the type ${name}, made at once.`
      : `A change of the type ${name}.`;
    const data = {
      ...portable(jsonSchemaOf(schema, "input")),
      description: `What to change, as ${name} needs it.`,
    };
    const draft = truth("True keeps it as a draft instead of submitting it.");
    return object({ type: always(name), data, draft }, { optional: ["draft"], description });
  });
  return {
    description: "A change to be made.",
    ...(forms.length > 0 ? { oneOf: forms } : { type: "object" }),
  };
}

/** The names of the declared types, as a schema. */
export function changeRequestTypeName({ changeRequestTypes }: DocumentContext): Schema {
  const names = changeRequestTypes.map(({ name }) => name);
  const description = "What kind of change it is.";
  return names.length > 0 ? oneWord(names, description) : text(description);
}

/**
 * A schema that can stand in the document: without definitions of its own, which only describe "any JSON", and without
 * defaults, for which generators of clients take a member to be there always.
 */
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
