import { pointer } from "../json.ts";

/** A place in a record while it is being merged, as a list from the place up to the record. */
export interface Place {
  readonly parent: Place | null;
  /** The member's name, or the item's identity. */
  readonly name: string;
  readonly kind: "member" | "item";
}

function segments(place: Place | null, segmentOf: (place: Place) => string): string[] {
  const path: string[] = [];
  for (let at = place; at !== null; at = at.parent) path.push(segmentOf(at));
  return path.reverse();
}

/** Names the place by the identities of items: the same at every merge of the record. */
export function stableName(place: Place | null): string {
  return pointer(segments(place, (at) => `${at.kind}:${at.name}`));
}

/** The place's pattern, root first: items are written `-`. */
export function patternOf(place: Place | null): readonly string[] {
  return segments(place, (at) => (at.kind === "item" ? "-" : at.name));
}
