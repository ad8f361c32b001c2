import type { Shown } from "../../audit/tell-read.ts";
import { identifiersOnly, shownFields, type Visibility } from "../../consent/visibility.ts";
import { isExempt } from "../../consent/visible-fields.ts";
import type { JsonObject } from "../../json.ts";
import type { DocumentKey } from "../../store/port.ts";
import { present } from "../present.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { holderOf } from "../record/load.ts";
import { splitRaw } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import { absentRecord, sightOf } from "../sight.ts";
import type { Caller, ReadOptions, Written } from "../types.ts";
import { ownVisibility } from "./permission.ts";

/** Records that a write names, as far as its caller may see them, with what it may see of each. */
export interface SeenRecords {
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly visibilityOf: (key: string) => Visibility;
}

/**
 * Finds the records behind claims. What is hidden from the caller is not among them, and is looked for at the same number
 * and kind of calls to the store as what is not there: contract section 3.4.
 */
export async function loadSeen(
  settings: Settings,
  caller: Caller,
  claims: readonly string[],
): Promise<SeenRecords> {
  if (claims.length === 0) return { records: new Map(), visibilityOf: () => identifiersOnly };
  const [only = ""] = claims;
  const documents =
    isExempt(caller) && claims.length === 1
      ? [await holderOf(settings.store, only)]
      : await holdersOf(settings, claims);
  const found = claims.map((claim, i) => {
    const document = documents[i];
    return document ? storedRecord(document) : absentRecord(splitRaw(claim).type);
  });
  const sight = await sightOf(settings, caller, found);
  const seen = found.map((stored, i) => [claims[i] ?? "", stored] as const);
  return {
    records: new Map(seen.filter(([, { key }]) => key !== "absent" && sight.has(key))),
    visibilityOf: (key) => sight.get(key) ?? identifiersOnly,
  };
}

/**
 * The keys of the records behind claims, by claim: for a caller whom consents bind, a hidden record is as little among them as one
 * that is not there.
 */
export async function keysSeen(
  settings: Settings,
  caller: Caller,
  claims: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (claims.length === 0) return new Map();
  if (isExempt(caller)) {
    const found = await settings.store.resolve(claims);
    return new Map(claims.flatMap((claim, i) => (found[i] ? [[claim, found[i].key] as const] : [])));
  }
  const { records } = await loadSeen(settings, caller, claims);
  return new Map([...records].map(([claim, { key }]) => [claim, key]));
}

async function holdersOf({ store }: Pick<Settings, "store">, claims: readonly string[]) {
  const holders = await store.resolve(claims);
  return store.get(claims.map((claim, i) => holders[i] ?? recordKey(splitRaw(claim).type, "absent")));
}

/** What a write did to one record, before it is decided what its caller is shown of it. */
export interface WholeAnswer {
  /** Its `record` is rendered, whole. */
  readonly written: Written<JsonObject>;
  /** Names the record; an answer that was kept before answers named theirs has none. */
  readonly at?: DocumentKey;
  /** The record as the commit left it; without one it is looked up. */
  readonly stored?: StoredRecord;
  /** Whether the record stayed as it was: then no audit entry of a change tells that it was shown. */
  readonly unchanged?: boolean;
}

/**
 * The answers to a write as its caller gets them: the part that it may see now, also of an answer that was kept, and of that
 * what the options ask for.
 */
export async function presentAnswers(
  settings: Settings,
  caller: Caller,
  { answers, options }: { readonly answers: readonly WholeAnswer[]; readonly options: ReadOptions },
): Promise<readonly Written<JsonObject>[]> {
  const visibilityOf = isExempt(caller)
    ? () => ownVisibility(caller)
    : await sightOfAnswers(settings, caller, answers);
  const read: Shown[] = [];
  const presented = answers.map(({ written, at, unchanged }) => {
    const type = splitRaw(written.reference).type;
    const visibility = visibilityOf(at?.key ?? "");
    const record = present(
      { type, record: written.record, visibility },
      { ...options, photo: true },
      settings,
    );
    const versionId = visibility.basis === "none" ? "" : written.versionId;
    if (at && (unchanged || written.replayed)) read.push({ type, key: at.key, record, visibility });
    const shows = shownFields(visibility);
    const named = at && versionId !== "" && { key: at.key };
    return { ...written, record, versionId, ...named, ...(shows && { shows }) };
  });
  settings.governance?.tellRead(settings, caller, { action: "read", shown: read });
  return presented;
}

async function sightOfAnswers(settings: Settings, caller: Caller, answers: readonly WholeAnswer[]) {
  const kept = answers.flatMap(({ at, stored }) => (at && !stored ? [at] : []));
  const documents = kept.length > 0 ? await settings.store.get(kept) : [];
  const records = [
    ...answers.flatMap(({ stored }) => stored ?? []),
    ...documents.flatMap((document) => (document ? [storedRecord(document)] : [])),
  ];
  const sight = await sightOf(settings, caller, records);
  return (key: string) => sight.get(key) ?? identifiersOnly;
}
