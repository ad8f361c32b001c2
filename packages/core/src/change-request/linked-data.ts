import type { JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, success } from "../problem.ts";
import { declaredAt } from "../registry/record/declared.ts";
import { type Links, recordKey } from "../registry/record/document.ts";
import { requireScope, scopeOf } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey, sightOf } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import { type PrintedReference, printRaw, type StoredReference } from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";
import type { DocumentKey, Expectation, StoredDocument } from "../store/port.ts";
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
  const named = (raw: StoredReference) => presentName(raw, targets.get(links[raw] ?? ""));
  const present = {
    data: mapDataReferences(data, (raw) => printed(named(raw))),
    links: Object.fromEntries(linked.map(([raw, key]) => [named(raw) ?? raw, key])),
  };
  const expect = [...targets.values()].map(({ collection, key, version }) => {
    return { kind: "version", collection, key, version } as const;
  });
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
  const asked = uses.map((use) => targetKey(use, links));
  const sight = await sightOf(settings, caller, asked);
  const seen = uses.filter((_, i) => sight.has(asked[i]?.key ?? ""));
  const targets = await targetsOf(settings, seen, links);
  return mapDataReferences(data, (raw) => {
    const target = targets.get(links[raw] ?? "");
    return target && seen.some((use) => use.raw === raw) ? printed(presentName(raw, target)) : undefined;
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

/** What the records declare that references mean, by key. One that means none costs what one does that means a hidden record. */
async function targetsOf(
  settings: Pick<Settings, "store">,
  uses: readonly DataReference[],
  links: Links,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const keys = new Map(uses.map((use) => [`${use.type}/${links[use.raw]}`, targetKey(use, links)]));
  const found = await Promise.all([...keys.values()].map((at) => declaredAt(settings, at)));
  return new Map(found.flatMap((document) => (document ? [[document.key, document] as const] : [])));
}

function targetKey({ type, raw }: DataReference, links: Links): DocumentKey {
  const key = links[raw];
  return key === undefined ? absentKey(type) : recordKey(type, key);
}

/** Another name of a record, raw, where the one that it is called by is no longer its own. */
function presentName(raw: StoredReference, target: StoredDocument | undefined): StoredReference | undefined {
  const held =
    target?.entries.identity?.map((identity) => `${target.collection}/${identity}` as StoredReference) ?? [];
  return held.includes(raw) ? undefined : held[0];
}

function printed(name: StoredReference | undefined): PrintedReference | undefined {
  return name === undefined ? undefined : printRaw(name);
}
