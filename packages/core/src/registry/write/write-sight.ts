import type { Shown } from "../../audit/tell-read.ts";
import { identifiersOnly, shownFields, type Visibility } from "../../consent/visibility.ts";
import { isExempt } from "../../consent/visible-fields.ts";
import type { JsonObject } from "../../json.ts";
import { typeIn } from "../../resource/reference.ts";
import type { DocumentKey } from "../../store/port.ts";
import { present } from "../present.ts";
import { type StoredRecord, storedRecord } from "../record/document.ts";
import { holderOf } from "../record/load.ts";
import { withPhotos } from "../record/stored-photo.ts";
import type { Settings } from "../settings.ts";
import { absentKey, sightOf } from "../sight.ts";
import type { Caller, ReadOptions, Written } from "../types.ts";
import { ownVisibility } from "./permission.ts";

/** Records that a write names, as far as its caller may see them, with what it may see of each. */
export interface SeenRecords {
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly visibilityOf: (key: string) => Visibility;
}

/** Finds the records behind claims, those that the caller may see something of. */
export async function loadSeen(
  settings: Settings,
  caller: Caller,
  claims: readonly string[],
): Promise<SeenRecords> {
  const [only] = claims;
  if (only !== undefined && claims.length === 1 && isExempt(caller)) {
    const document = await holderOf(settings.store, only);
    const records = new Map(document ? [[only, storedRecord(document)] as const] : []);
    return { records, visibilityOf: () => ownVisibility(caller) };
  }
  const { keys, visibilityOf } = await findSeen(settings, caller, claims);
  const documents = keys.size > 0 ? await settings.store.get([...keys.values()]) : [];
  const found = [...keys.keys()].flatMap((claim, i) => {
    const document = documents[i];
    return document ? [[claim, storedRecord(document)] as const] : [];
  });
  return { records: new Map(found), visibilityOf };
}

/**
 * Finds the keys of the records behind claims. What is hidden from the caller is not among them, and is looked for at the same
 * number and kind of calls to the store as what is not there: contract section 3.4.
 */
export async function findSeen(
  settings: Settings,
  caller: Caller,
  claims: readonly string[],
): Promise<Pick<SeenRecords, "visibilityOf"> & { readonly keys: ReadonlyMap<string, DocumentKey> }> {
  if (claims.length === 0) return { keys: new Map(), visibilityOf: () => identifiersOnly };
  const holders = await settings.store.resolve(claims);
  const at = claims.map((claim, i) => holders[i] ?? absentKey(typeIn(claim), i));
  const sight = await sightOf(settings, caller, at);
  const seen = claims.flatMap((claim, i) => {
    const holder = holders[i];
    return holder && sight.has(holder.key) ? [[claim, holder] as const] : [];
  });
  return { keys: new Map(seen), visibilityOf: (key) => sight.get(key) ?? identifiersOnly };
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
  const { keys } = await findSeen(settings, caller, claims);
  return new Map([...keys].map(([claim, { key }]) => [claim, key]));
}

/** What a write did to one record, before it is decided what its caller is shown of it. */
export interface WholeAnswer {
  /** Its `record` is rendered, whole. */
  readonly written: Written<JsonObject>;
  /** Names the record; an answer that was kept before answers named theirs has none. */
  readonly at?: DocumentKey;
  /** The record as the commit left it. */
  readonly stored?: StoredRecord;
  /** The photo that was sent. */
  readonly photo?: string | undefined;
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
  const presented = answers.map(({ written, at, unchanged, photo }) => {
    const type = typeIn(written.reference);
    const visibility = visibilityOf(at?.key ?? "");
    const whole = photo === undefined ? written.record : { ...written.record, photo };
    const record = present({ type, record: whole, visibility }, { ...options, photo: true }, settings);
    const versionId = visibility.basis === "none" ? "" : written.versionId;
    if (at && (unchanged || written.replayed)) read.push({ type, key: at.key, record, visibility });
    const shows = shownFields(visibility);
    const named = at && versionId !== "" && { key: at.key };
    return { ...written, record, versionId, ...named, ...(shows && { shows }) };
  });
  settings.governance?.tellRead(settings, caller, { action: "read", shown: read });
  // The write is done: its answer waits for no turn that may be refused.
  const records = await withPhotos(
    settings.store,
    presented.map(({ record }) => record),
  );
  return presented.map((answer, i) => ({ ...answer, record: records[i] ?? answer.record }));
}

async function sightOfAnswers(settings: Settings, caller: Caller, answers: readonly WholeAnswer[]) {
  const sight = await sightOf(
    settings,
    caller,
    answers.flatMap(({ at, stored }) => stored ?? at ?? []),
  );
  return (key: string) => sight.get(key) ?? identifiersOnly;
}
