import { isJsonObject, type Json } from "@fieldroll/core";
import type { Schema } from "./schema.ts";

/** Descriptions by place: members joined by dots, `[]` for the items of a list, empty for the whole. */
export type PlacedNotes = Readonly<Record<string, string>>;

/** Adds to a schema and what is in it what each means. */
export function annotated(schema: Schema, told: PlacedNotes, place = ""): Schema {
  const description = told[place];
  const { properties, items } = schema;
  const inside = place === "" ? "" : `${place}.`;
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(isJsonObject(items) ? { items: annotated(items, told, `${place}[]`) } : {}),
    ...(isJsonObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]): [string, Json] => [
              name,
              isJsonObject(member) ? annotated(member, told, `${inside}${name}`) : member,
            ]),
          ),
        }
      : {}),
  };
}
