import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  resourceShapes,
  sameJson,
  storedForm,
} from "@fieldroll/core";
import { texts } from "../texts.ts";
import type { NameOf } from "./conflict-text.ts";
import { nameText } from "./person-text.ts";
import type { Versions } from "./questions.ts";

/**
 * What a record is called in a list, with what it is. An enrollment by whom it enrolls in what, as far as these are on this device.
 */
export function parkedTitle(
  type: ResourceType,
  record: JsonObject,
  nameOf: NameOf,
): { readonly title: string; readonly text: string } {
  const kind = texts.resources[type];
  const [beneficiary, program] = [record.beneficiary, record.program].map((place) => nameAt(place, nameOf));
  if (type !== "ProgramMembership") return { title: nameIn(record) ?? kind, text: kind };
  if (beneficiary === undefined) return { title: program ?? kind, text: program === undefined ? "" : kind };
  return { title: beneficiary, text: program === undefined ? kind : texts.enrollment.in(program) };
}

function nameIn({ name }: JsonObject): string | undefined {
  if (typeof name === "string") return name;
  return isJsonObject(name) ? nameText(name) : undefined;
}

function nameAt(place: Json | undefined, nameOf: NameOf): string | undefined {
  if (!isJsonObject(place)) return undefined;
  const { reference, display } = place;
  const name = typeof reference === "string" ? nameOf(reference) : undefined;
  return name ?? (typeof display === "string" ? display : undefined);
}

/** The members in which two records differ, apart from what names them and what is derived, with what is decided together. */
export function differences(type: ResourceType, ours: JsonObject, theirs: JsonObject): readonly Versions[] {
  return placesOf(type, ours, theirs).filter((place) => !sameJson(place.ours as Json, place.theirs as Json));
}

/** The members of two records, apart from what names them and what is derived, with what is decided together. */
export function placesOf(type: ResourceType, ours: JsonObject, theirs: JsonObject): readonly Versions[] {
  const shape = resourceShapes[type];
  const units = (shape.kind === "object" && shape.together) || [];
  const [a, b] = [storedForm(type, ours), storedForm(type, theirs)];
  const members = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return members
    .filter((member) => !["type", "identifier", "meta"].includes(member))
    .map((member) => {
      const together = units.find((unit) => unit.includes(member))?.map((name) => `/${name}`);
      return { path: `/${member}`, ours: a[member], theirs: b[member], ...(together && { together }) };
    });
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
