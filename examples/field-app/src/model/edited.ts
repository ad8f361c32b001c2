import { isJsonObject, type Json, type JsonObject, resourceShapes } from "@fieldroll/core";

/** A place of a record, and what edits made of it. */
export interface EditedPlace {
  readonly path: string;
  /** `null` where it was taken out. */
  readonly value: Json;
}

/** What is decided together is told as one of its first path where edits changed more than that. */
const units = Object.values(resourceShapes).flatMap(
  (shape) => (shape.kind === "object" && shape.together) || [],
);

/**
 * The fields that edits changed, and what they are after the last of them.
 *
 * @param patches of the edits (RFC 7396), the oldest first
 */
export function editedPlaces(patches: readonly JsonObject[]): readonly EditedPlace[] {
  const after = new Map<string, Json>();
  for (const patch of patches) for (const [path, value] of placesIn(patch)) after.set(path, value);
  for (const unit of units) joined(unit, after);
  return [...after].map(([path, value]) => ({ path, value }));
}

function placesIn(patch: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(patch).flatMap(([member, value]) => {
    if (member !== "name" || !isJsonObject(value)) return [[`/${member}`, value] as const];
    return Object.entries(value).map(([part, inner]) => [`/name/${part}`, inner] as const);
  });
}

function joined(unit: readonly string[], after: Map<string, Json>): void {
  const [first = ""] = unit;
  const changed = unit.filter((member) => after.has(`/${member}`));
  if (!changed.includes(first) || changed.length === 1) return;
  const values = changed.map((member) => [member, after.get(`/${member}`) ?? null] as const);
  for (const member of changed.slice(1)) after.delete(`/${member}`);
  after.set(`/${first}`, Object.fromEntries(values));
}
