import { isJsonObject, type JsonObject, type ResourceType } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { nameText } from "./person-text.ts";

/** What a record is called in a list. */
export function recordTitle(type: ResourceType, record: JsonObject): string {
  const { name, program } = record;
  if (typeof name === "string") return name;
  if (isJsonObject(name)) return nameText(name);
  if (isJsonObject(program) && typeof program.display === "string") return program.display;
  return texts.resources[type];
}

/** Every reference inside a value, each once: the records whose names a screen needs. */
export function referencesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  const look = (inside: unknown) => {
    if (Array.isArray(inside)) for (const item of inside) look(item);
    else if (isJsonObject(inside)) {
      if (typeof inside.reference === "string") found.add(inside.reference);
      for (const item of Object.values(inside)) look(item);
    }
  };
  look(value);
  return [...found];
}
