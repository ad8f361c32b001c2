import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  sameJson,
  storedForm,
} from "@fieldroll/core";
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

/** The members in which two records differ, apart from what names them and what is derived. */
export function differences(
  type: ResourceType,
  ours: JsonObject,
  theirs: JsonObject,
): readonly { readonly path: string; readonly ours?: Json; readonly theirs?: Json }[] {
  const [a, b] = [storedForm(type, ours), storedForm(type, theirs)];
  const members = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return members
    .filter((member) => !["type", "identifier", "meta"].includes(member) && !sameJson(a[member], b[member]))
    .map((member) => ({
      path: `/${member}`,
      ...(a[member] !== undefined && { ours: a[member] }),
      ...(b[member] !== undefined && { theirs: b[member] }),
    }));
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
