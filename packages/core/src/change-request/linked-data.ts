import { isExempt } from "../consent/visible-fields.ts";
import type { JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, success } from "../problem.ts";
import { type Links, recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import { identifiersOf, splitRaw } from "../registry/record/stored.ts";
import { requireScope, scopeOf } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import { absentRecord, sightOf } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import { canonicalReference, printReference } from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Expectation } from "../store/port.ts";
import { type DataReference, mapDataReferences, referencesInData } from "./data-references.ts";

/** Which records the references in data mean, whoever has those identifiers by now. */
export interface LinkedData {
  /** By the references as they are written: what is kept with data as they are written. */
  readonly links: Links;
  /**
   * The data with each reference by an identifier that its record has today, and links by those. For who decides and applies,
   * never to be kept: it tells names that who wrote the data may not know.
   */
  readonly present: { readonly data: JsonObject; readonly links: Links };
  /** Holds as long as each record has the identifiers by which it is named. */
  readonly expect: readonly Expectation[];
}

/**
 * Finds the records that data refer to. A link that was kept counts for more than the identifier that it was made by, which
 * may be another record's today; the store is asked the same with it and without.
 *
 * @param kept links of the data as they were stored
 */
export async function linkData(
  settings: Settings,
  data: JsonObject,
  kept: Links = {},
): Promise<Outcome<LinkedData>> {
  const uses = referencesInData(data);
  const raws = [...new Set(uses.map(({ raw }) => raw))];
  const holders = raws.length > 0 ? await settings.store.resolve(raws) : [];
  const linked = raws.flatMap((raw, i) => {
    const key = kept[raw] ?? holders[i]?.key;
    return key === undefined ? [] : [[raw, key] as const];
  });
  const links: Links = Object.fromEntries(linked);
  const targets = await targetsOf(settings, uses, links);
  const gone = uses.filter(({ raw }) => links[raw] !== undefined && !targets.has(links[raw]));
  if (gone.length > 0) return failure(invalid(gone.map(({ pointer }) => noLongerThere(pointer))));
  const named = (raw: string) => presentName(raw, targets.get(links[raw] ?? ""));
  const present = {
    data: mapDataReferences(data, (raw) => printed(named(raw))),
    links: Object.fromEntries(linked.map(([raw, key]) => [named(raw)?.raw ?? raw, key])),
  };
  const expect = [...targets.values()].map(({ type, key, version }) => ({
    kind: "version" as const,
    ...recordKey(type, key),
    version,
  }));
  return success({ links, present, expect });
}

function noLongerThere(field: string): FieldError {
  const message =
    "names a record that is no longer there; submit a new change request that names the one it is about";
  return { field, code: "unknown_reference", message };
}

/**
 * Data as a caller is shown them: each reference by an identifier that its record has today. Where the record is hidden from
 * the caller, or its token does not open records of that type, the reference stays as it was written.
 */
export async function shownData(
  settings: Settings,
  caller: Caller,
  { data, links = {} }: { readonly data: JsonObject; readonly links?: Links },
): Promise<JsonObject> {
  const uses = referencesInData(data).filter(({ type }) => mayName(caller, type).ok);
  if (uses.length === 0) return data;
  const targets = await targetsOf(settings, uses, links);
  const asked = uses.map(({ type, raw }) => targets.get(links[raw] ?? "") ?? absentRecord(type));
  const seen = isExempt(caller) ? targets : await sightOf(settings, caller, asked);
  return mapDataReferences(data, (raw) => {
    const target = targets.get(links[raw] ?? "");
    const shown = target && seen.has(target.key) && uses.some((use) => use.raw === raw);
    return shown ? printed(presentName(raw, target)) : undefined;
  });
}

/**
 * Refuses data that name records which the caller's token does not open, before any is looked at. Individuals and groups are
 * opened by `registry:write`, without which nobody submits.
 */
export function mayNameAll(caller: Caller, data: JsonObject): Outcome<void> {
  const refused = referencesInData(data)
    .map(({ type }) => mayName(caller, type))
    .find((allowed) => !allowed.ok);
  return refused ?? success(undefined);
}

function mayName(caller: Caller, type: ResourceType): Outcome<void> {
  if (type === "Individual" || type === "Group") return success(undefined);
  return requireScope(caller, scopeOf(type, "read"));
}

/** The records that references mean, by key. One that means none costs what one does that means a hidden record. */
async function targetsOf(
  { store }: Pick<Settings, "store">,
  uses: readonly DataReference[],
  links: Links,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const keys = new Map(
    uses.map(({ type, raw }) => {
      const key = links[raw] ?? absentRecord(type).key;
      return [`${type}/${key}`, recordKey(type, key)] as const;
    }),
  );
  const documents = keys.size > 0 ? await store.get([...keys.values()]) : [];
  return new Map(
    documents.flatMap((document) => (document ? [[document.key, storedRecord(document)] as const] : [])),
  );
}

/** Another name of a record, where the one that it is called by is no longer its own. */
function presentName(raw: string, target: StoredRecord | undefined) {
  const held = identifiersOf(target?.record ?? {});
  const { type, system, value } = splitRaw(raw);
  const kept = held.some((identifier) => identifier.system === system && identifier.value === value);
  const [first] = held;
  return kept || !first ? undefined : { type, identifier: first, raw: canonicalReference(type, first) };
}

function printed(name: ReturnType<typeof presentName>): string | undefined {
  return name && printReference(name.type, name.identifier);
}
