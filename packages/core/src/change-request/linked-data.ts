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

/** The data of a change request, and which records their references mean, whoever has those identifiers by now. */
interface LinkedData {
  readonly data: JsonObject;
  readonly links: Links;
}

/** {@link LinkedData} as of now, each reference by an identifier that its record has. */
export interface PresentData extends LinkedData {
  /** Holds as long as each record has the identifiers by which it is named. */
  readonly expect: readonly Expectation[];
}

/**
 * Finds the records that data refer to. A link that was kept counts for more than the identifier that it was made by, which
 * may be another record's today.
 *
 * @param kept links of the data as they were stored
 */
export async function linkData(
  settings: Settings,
  data: JsonObject,
  kept: Links = {},
): Promise<Outcome<PresentData>> {
  const uses = referencesInData(data);
  const wanted = [...new Set(uses.map(({ raw }) => raw))].filter((raw) => kept[raw] === undefined);
  const holders = wanted.length > 0 ? await settings.store.resolve(wanted) : [];
  const found = wanted.flatMap((raw, i) => (holders[i] ? [[raw, holders[i].key] as const] : []));
  const own = uses.flatMap(({ raw }) => (kept[raw] === undefined ? [] : [[raw, kept[raw]] as const]));
  const links: Links = Object.fromEntries([...own, ...found]);
  const targets = await targetsOf(settings, uses, links);
  const gone = uses.filter(({ raw }) => links[raw] !== undefined && !targets.has(links[raw]));
  if (gone.length > 0) return failure(invalid(gone.map(({ pointer }) => noLongerThere(pointer))));
  const present = (raw: string) => presentName(raw, targets.get(links[raw] ?? ""));
  return success({
    data: mapDataReferences(data, (raw) => printed(present(raw))),
    links: Object.fromEntries(Object.entries(links).map(([raw, key]) => [present(raw)?.raw ?? raw, key])),
    expect: [...targets.values()].map(({ type, key, version }) => ({
      kind: "version",
      ...recordKey(type, key),
      version,
    })),
  });
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
