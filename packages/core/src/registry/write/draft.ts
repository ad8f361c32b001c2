import type { Visibility } from "../../consent/visibility.ts";
import { isJsonObject, type JsonObject, sameJson } from "../../json.ts";
import { type FieldError, failure, type Outcome, type Problem, success } from "../../problem.ts";
import { validateRecord } from "../../resource/schemas.ts";
import type { ResourceType } from "../../resource/types.ts";
import { unknownRecord } from "../find-visible.ts";
import { withCurrentReferences } from "../record/current-references.ts";
import type { Links, StoredRecord } from "../record/document.ts";
import { claimOf } from "../record/load.ts";
import {
  contentOf,
  identifiersOf,
  keysBeside,
  readReferences,
  storedForm,
  wireForm,
} from "../record/stored.ts";
import { withKeptPhoto } from "../record/stored-photo.ts";
import type { Settings } from "../settings.ts";
import type { Caller, WriteEntry } from "../types.ts";
import { bodyOf, type SeenEntry } from "./next-body.ts";
import { mayChange, mayWrite, ownVisibility } from "./permission.ts";
import { loadSeen } from "./write-sight.ts";

/** A write under way: what there was, and what there is to be. */
export interface Draft {
  readonly type: ResourceType;
  readonly key: string;
  readonly before: StoredRecord | null;
  /** In stored form, without `meta`. */
  readonly record: JsonObject;
  readonly links: Links;
  /** The keys that those whom it refers to have to have, as far as its author gave them, by raw reference. */
  readonly given?: Links;
  /** What is wrong with it so far: all of it is told at once. */
  readonly faults: readonly FieldError[];
  /** Whether the schema found nothing that counts, so that rules may look at it. */
  readonly sound: boolean;
  /** What its author may see of the record, and so write. */
  readonly visibility: Visibility;
  /** Of a Program: the total of its fund, where it is written too. */
  readonly fund?: unknown;
}

/** Loads what the entries change and applies them, each checked by its author's sight, its precondition and the schemas. */
export async function draftWrites(
  settings: Settings,
  caller: Caller,
  entries: readonly WriteEntry[],
): Promise<Outcome<readonly Draft[]>> {
  const claims = entries.map((entry) =>
    entry.verb === "create" || entry.verb === "derive" ? success(null) : claimOf(entry.type, entry.address),
  );
  const wanted = claims.flatMap((claim) => (claim.ok && claim.value ? [claim.value] : []));
  const { records, visibilityOf } = await loadSeen(settings, caller, wanted);
  const current = await withCurrentReferences([...records.values()], settings.store);
  const byKey = new Map(current.map((stored) => [stored.key, stored]));
  const drafts: Draft[] = [];
  const drafted = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    await settings.budget.pause();
    const claim = claims[i];
    if (!claim?.ok) return atEntry(i, entries, claim?.problem);
    const key = records.get(claim.value ?? "")?.key ?? "";
    const found = byKey.get(key) ?? null;
    const visibility = claim.value === null ? ownVisibility(caller) : visibilityOf(key);
    const draft = draftOf(settings, caller, { entry, found, visibility });
    if (!draft.ok) return atEntry(i, entries, draft.problem);
    if (drafted.has(draft.value.key)) return atEntry(i, entries, changedTwice);
    drafted.add(draft.value.key);
    const fund = "fund" in entry && entry.type === "Program" ? { fund: entry.fund } : {};
    const record = await withKeptPhoto(settings.store, draft.value.record, found?.record.photo);
    drafts.push({ ...draft.value, record, ...fund });
  }
  await settings.budget.pause();
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

function draftOf(
  settings: Settings,
  caller: Caller,
  { entry, found, visibility }: SeenEntry,
): Outcome<Draft> {
  const { type } = entry;
  if (entry.verb === "create" || entry.verb === "derive") {
    const body = entry.verb === "create" ? success(entry.body) : entry.body();
    if (!body.ok) return body;
    const allowed = mayWrite(type, body.value, { visibility, settings });
    if (!allowed.ok) return allowed;
    const key = (entry.verb === "create" ? entry.key : undefined) ?? settings.newId();
    return checked(settings, { type, key, before: null, visibility }, body.value);
  }
  if (found === null) return failure(unknownRecord(settings, caller, entry));
  const body = bodyOf(settings, { entry, found, visibility });
  if (!body.ok) return body;
  const allowed = mayChange(settings, caller, { before: found.record, after: body.value });
  if (!allowed.ok) return allowed;
  return checked(settings, { type, key: found.key, before: found, visibility }, body.value);
}

type Named = Pick<Draft, "type" | "key" | "before" | "visibility">;

/** A body with faults goes on as far as its references can be told, so that theirs are told too; one with too many entries does not. */
function checked(settings: Settings, named: Named, body: unknown): Outcome<Draft> {
  const { type, key, before } = named;
  const former =
    before && settings.policies.faults === "brought" ? wireForm(type, contentOf(before.record)) : undefined;
  const valid = validateRecord(type, body, settings.schemas, {
    record: former,
    photo: before?.record.photo,
  });
  if (!valid.ok) {
    const faults = valid.problem.errors;
    if (!faults || !isJsonObject(body) || faults.some(({ code }) => code === "too_many")) return valid;
    const record = readReferences(type, body);
    return success({ ...named, record, links: {}, faults, sound: false });
  }
  const own = [{ system: `urn:${settings.namespace}:program-membership`, value: key }];
  const stored = storedForm(type, valid.value, before?.record.name);
  const record = withIdentifier(stored, before ? before.record.identifier : own);
  const given = isJsonObject(body) ? keysBeside(type, body) : {};
  return success({ ...named, record, links: {}, given, faults: [], sound: true });
}

/** Memberships may come without an identifier; every other schema asks for one. */
function withIdentifier(record: JsonObject, fallback: JsonObject[string] | undefined): JsonObject {
  return identifiersOf(record).length > 0 || fallback === undefined
    ? record
    : { ...record, identifier: fallback };
}

/** Whether a draft leaves the record as it was. */
export function changesNothing({ before, record }: Draft): boolean {
  return before !== null && sameJson(contentOf(before.record), record);
}
