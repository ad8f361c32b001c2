import { contentOf, diffMergePatch, type JsonObject, type ResourceType, referenceTo } from "@fieldroll/core";
import { dependencies } from "./content.ts";
import type { Edit, OutboxEntry } from "./entry.ts";

/** A change of one record that a person just made: see `RecordChange` of the registry. */
export interface LocalChange {
  readonly type: ResourceType;
  readonly key: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  /** The client that the person is signed in as. */
  readonly by: string;
  /** UTC instant. */
  readonly at: string;
}

/**
 * Adds a person's edit to a record's entry, or starts one. An edit of a record that waits for a correction sends it on
 * its way again; a conflict, or a record that left, goes on waiting for its decision.
 *
 * @param id the edit's, a UUIDv7
 */
export function addEdit(entry: OutboxEntry | null, change: LocalChange, id: string): OutboxEntry {
  const { type, key, before, after, by, at } = change;
  const patch = diffMergePatch(before ? contentOf(before) : {}, contentOf(after));
  const edit: Edit = { id, at, by, patch };
  const previous = entry ?? fresh(change);
  const next: OutboxEntry = {
    ...previous,
    type,
    key,
    reference: referenceTo(type, after),
    edits: [...previous.edits, edit],
    ...dependencies(type, previous.base, after),
  };
  switch (next.parked?.reason) {
    case "rejected":
    case "duplicate":
    case "forbidden":
      return { ...next, parked: null, attempts: 0, rebases: 0, nextAttemptAt: null };
    default:
      return next;
  }
}

function fresh({ type, key, before, after }: LocalChange): OutboxEntry {
  return {
    type,
    key,
    reference: referenceTo(type, after),
    base: before,
    edits: [],
    request: null,
    incoming: null,
    parked: null,
    attempts: 0,
    rebases: 0,
    nextAttemptAt: null,
    lastAnswer: null,
    provides: [],
    needs: [],
  };
}
