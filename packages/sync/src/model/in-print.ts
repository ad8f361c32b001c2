import {
  type Conflict,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  readReferences,
  segmentsOf,
  wireForm,
} from "@fieldroll/core";
import type { Resolution } from "../resolution.ts";

type Form = (type: ResourceType, record: JsonObject) => JsonObject;

/** A conflict of stored copies as a person is shown it: its references printed. */
export function printedConflict(type: ResourceType, conflict: Conflict): Conflict {
  const versions = (["base", "ours", "theirs"] as const).flatMap((side) => {
    const value = conflict[side];
    return value === undefined
      ? []
      : [[side, formedAt(conflict.path, value, { type, form: wireForm })] as const];
  });
  return { ...conflict, ...Object.fromEntries(versions) };
}

/** A decision with the values that a person gives in stored form. */
export function storedChoices<T extends Resolution>(type: ResourceType, resolution: T): T {
  if (!("choices" in resolution) || !resolution.choices) return resolution;
  const choices = Object.entries(resolution.choices).map(([path, choice]) => {
    if (typeof choice === "string" || choice.value === undefined) return [path, choice];
    return [path, { value: formedAt(path, choice.value as Json, { type, form: readReferences }) }];
  });
  return { ...resolution, choices: Object.fromEntries(choices) };
}

/** The value of one place in another form: forms know whole records, so it is put into a record that has nothing else. */
function formedAt(
  path: string,
  value: Json,
  { type, form }: { readonly type: ResourceType; readonly form: Form },
): Json {
  const segments = segmentsOf(path);
  const isIndex = (segment: string) => /^\d+$/.test(segment);
  const alone = segments.reduceRight<Json>(
    (inner, segment) => (isIndex(segment) ? [inner] : { [segment]: inner }),
    value,
  );
  if (!isJsonObject(alone)) return value;
  return segments.reduce<Json>(
    (outer, segment) => {
      const inner = Array.isArray(outer) ? outer[0] : isJsonObject(outer) ? outer[segment] : undefined;
      return inner ?? null;
    },
    form(type, alone),
  );
}
