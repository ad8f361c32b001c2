import { type MergeRequest, type ResourceType, resourceShapes } from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";
import type { Copies } from "./rebase.ts";

/** The merge of three copies. */
export function mergeOf(type: ResourceType, { base, local, theirs, asked = [] }: Copies): MergeRequest {
  return { base, ours: local, theirs, asked, shape: resourceShapes[type] };
}

/** What a record's unsent work is merged from, and which of its places are asked about already. */
export function askedOf({ base, asked }: Pick<OutboxEntry, "base" | "asked">) {
  return { base, asked };
}

/** An entry whose places are asked about no more. */
export function askedNoMore({ asked: _, ...entry }: OutboxEntry): OutboxEntry {
  return entry;
}
