import { conflictPlaces, type JsonObject, type ResourceType, resourceShapes } from "@fieldroll/core";

/** The places in which two copies of a record differ, by the merge's names. */
export function placesApart(type: ResourceType, ours: JsonObject, theirs: JsonObject): readonly string[] {
  return conflictPlaces({ base: null, ours, theirs, shape: resourceShapes[type], asked: "all" });
}

/** Whether one place is another one, or lies in it. */
export function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`);
}
