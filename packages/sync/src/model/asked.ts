import { type MergeRequest, type ResourceType, resourceShapes } from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";
import type { Park } from "./park.ts";
import type { Copies } from "./rebase.ts";

/** The merge of three copies. */
export function mergeOf(type: ResourceType, { base, local, theirs, asked = [] }: Copies): MergeRequest {
  return { base, ours: local, theirs, asked, shape: resourceShapes[type] };
}

/** What a record's unsent work is merged from, and which of its places are asked about already. */
export function askedOf({ base, parked }: Pick<OutboxEntry, "base" | "parked">) {
  return { base, asked: parked?.asked };
}

/** What a person was asked about goes on being asked where the record comes back: for a park that takes the place of an entry's. */
export function askedBefore(entry: Pick<OutboxEntry, "parked"> | null): Pick<Park, "asked"> {
  const asked = entry?.parked?.asked;
  return asked ? { asked } : {};
}
