import { isJsonObject, type Json, type JsonObject, segmentsOf } from "../json.ts";
import { memberOf } from "../merge/member.ts";
import type { Shape } from "../merge/shape.ts";
import { resourceShapes } from "../merge/shapes.ts";
import type { FieldError } from "../problem.ts";
import type { ResourceType } from "./types.ts";

/** A record and all that is wrong with it. */
export interface Judged {
  readonly record: JsonObject;
  readonly faults: readonly FieldError[];
}

/**
 * The faults that a change brought: all but those that the record had before, with the same value at the same place. An item of a
 * list is the one before by its identity, wherever it stands, and one without identity by all that it says.
 */
export function faultsBrought(type: ResourceType, before: Judged, after: Judged): readonly FieldError[] {
  const former = new Set(before.faults.map((fault) => told(type, before.record, fault)));
  return after.faults.filter((fault) => !former.has(told(type, after.record, fault)));
}

/** What a fault says, the way to its place, and what is there, as one text. */
function told(type: ResourceType, record: JsonObject, { field, message }: FieldError): string {
  const way: Json[] = [message];
  let value: Json = record;
  let shape: Shape | undefined = resourceShapes[type];
  for (const name of segmentsOf(field)) {
    const inner: Json = memberOf(Object(value), name) ?? null;
    const item = shape?.kind === "keyed" ? (shape.identity(inner) ?? inner) : inner;
    way.push(Array.isArray(value) ? item : name);
    shape = shape?.kind === "object" ? shape.members[name] : undefined;
    value = inner;
  }
  return JSON.stringify([...way, value], inOrder);
}

/** The order of an object's members does not count. */
function inOrder(_: string, value: Json): Json {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
