import { isJsonObject, type JsonObject, sameJson } from "../../json.ts";
import { applyMergePatch } from "../../merge/patch.ts";
import { type FieldError, failure, type Outcome, type Problem, success } from "../../problem.ts";
import { validateRecord } from "../../resource/schemas.ts";
import type { ResourceType } from "../../resource/types.ts";
import { withCurrentReferences } from "../record/current-references.ts";
import type { Links, StoredRecord } from "../record/document.ts";
import { claimOf, loadByClaim, notFound } from "../record/load.ts";
import { identifiersOf, mapReferences, rawReference, storedForm, wireForm } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { WriteEntry } from "../types.ts";
import { precondition } from "./precondition.ts";

/** A write under way: what there was, and what there is to be. */
export interface Draft {
  readonly type: ResourceType;
  readonly key: string;
  readonly before: StoredRecord | null;
  /** In stored form, without `meta`. */
  readonly record: JsonObject;
  readonly links: Links;
  /** What is wrong with it so far: all of it is told at once. */
  readonly faults: readonly FieldError[];
  /** Whether the schema found nothing, so that rules may look at it. */
  readonly sound: boolean;
}

/** Loads what the entries change and applies them, each checked by its precondition and the schemas. */
export async function draftWrites(
  settings: Settings,
  entries: readonly WriteEntry[],
): Promise<Outcome<readonly Draft[]>> {
  const claims = entries.map((entry) =>
    entry.verb === "create" || entry.verb === "derive" ? success(null) : claimOf(entry.type, entry.address),
  );
  const loaded = await loadByClaim(
    settings,
    claims.flatMap((claim) => (claim.ok && claim.value ? [claim.value] : [])),
  );
  const drafts: Draft[] = [];
  const current = await withCurrentReferences([...loaded.values()], settings.store);
  const byKey = new Map(current.map((stored) => [stored.key, stored]));
  for (const [i, entry] of entries.entries()) {
    const claim = claims[i];
    if (!claim?.ok) return atEntry(i, entries, claim?.problem);
    const found = claim.value === null ? undefined : loaded.get(claim.value);
    const draft = draftOf(settings, entry, byKey.get(found?.key ?? "") ?? null);
    if (!draft.ok) return atEntry(i, entries, draft.problem);
    if (drafts.some(({ key }) => key === draft.value.key)) return atEntry(i, entries, changedTwice);
    drafts.push(draft.value);
  }
  return success(drafts);
}

const changedTwice: Problem = {
  kind: "validation",
  detail: "The same record is changed twice in one transaction. Send one entry with both changes.",
};

function atEntry(
  entry: number,
  entries: readonly WriteEntry[],
  problem: Problem | undefined,
): Outcome<never> {
  const told = problem ?? { kind: "internal", detail: "The entry was not understood." };
  return failure(entries.length === 1 ? told : { ...told, entry });
}

function draftOf(settings: Settings, entry: WriteEntry, found: StoredRecord | null): Outcome<Draft> {
  if (entry.verb === "create" || entry.verb === "derive") {
    const body = entry.verb === "create" ? success(entry.body) : entry.body();
    if (!body.ok) return body;
    const key = (entry.verb === "create" ? entry.key : undefined) ?? settings.newId();
    return checked(settings, { type: entry.type, key, before: null }, body.value);
  }
  if (found === null) return failure(notFound(entry.type, entry.address));
  const { meta: _, ...before } = found.record;
  const body = bodyOf(entry, found, before);
  if (!body.ok) return body;
  return checked(settings, { type: entry.type, key: found.key, before: found }, body.value);
}

type Named = Pick<Draft, "type" | "key" | "before">;

/** A body with faults goes on as far as its references can be told, so that theirs are told too. */
function checked(settings: Settings, named: Named, body: unknown): Outcome<Draft> {
  const { type, key, before } = named;
  const valid = validateRecord(type, body, settings.schemas);
  if (!valid.ok) {
    const faults = valid.problem.errors;
    if (!faults || !isJsonObject(body)) return valid;
    const record = mapReferences(type, body, rawReference);
    return success({ ...named, record, links: {}, faults, sound: false });
  }
  const given = [{ system: `urn:${settings.namespace}:program-membership`, value: key }];
  const stored = storedForm(type, valid.value, before?.record.name);
  const record = withIdentifier(stored, before ? before.record.identifier : given);
  return success({ ...named, record, links: {}, faults: [], sound: true });
}

/** What the record is to become, as its writer would send it whole. */
function bodyOf(entry: Change, found: StoredRecord, before: JsonObject): Outcome<unknown> {
  if (entry.verb === "update") {
    const changed = entry.change(found.record, found.links);
    return changed.ok ? success(wireForm(entry.type, changed.value)) : changed;
  }
  const refused = precondition(found, entry.ifMatch);
  if (refused) return failure(refused);
  return success(entry.verb === "patch" ? patched(wireForm(entry.type, before), entry.body) : entry.body);
}

type Change = Exclude<WriteEntry, { verb: "create" | "derive" }>;

function patched(before: JsonObject, patch: unknown): unknown {
  return applyMergePatch(before, patch as JsonObject);
}

/** Memberships may come without an identifier; every other schema asks for one. */
function withIdentifier(record: JsonObject, fallback: JsonObject[string] | undefined): JsonObject {
  return identifiersOf(record).length > 0 || fallback === undefined
    ? record
    : { ...record, identifier: fallback };
}

/** Whether a draft leaves the record as it was. */
export function changesNothing({ before, record }: Draft): boolean {
  if (!before) return false;
  const { meta: _, ...old } = before.record;
  return sameJson(old, record);
}
