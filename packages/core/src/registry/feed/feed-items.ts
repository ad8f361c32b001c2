import { tellRead } from "../../audit/tell-read.ts";
import { sees, shownFields, type Visibility } from "../../consent/visibility.ts";
import { isExempt } from "../../consent/visible-fields.ts";
import { type JsonObject, jsonBytes } from "../../json.ts";
import { present } from "../present.ts";
import type { StoredRecord } from "../record/document.ts";
import { referenceTo, render } from "../record/render.ts";
import { printedReferencesOf, referencesOf } from "../record/stored.ts";
import { photoLength, shownPhotos } from "../record/stored-photo.ts";
import { readSelection } from "../search/read-options.ts";
import type { Settings } from "../settings.ts";
import type { Caller, FeedItem, ReadOptions } from "../types.ts";
import { versionOf } from "../write/precondition.ts";

/** What a feed says of one record. */
export type News =
  | { readonly kind: "upsert"; readonly stored: StoredRecord; readonly visibility: Visibility }
  | {
      readonly kind: "removed";
      readonly stored: StoredRecord;
      readonly visibility: Visibility;
      readonly reason: "left-feed" | "archived";
    }
  /** The caller was told it here once and is not any more, whatever happened to the record meanwhile. */
  | {
      readonly kind: "hidden";
      readonly stored: StoredRecord;
      /** Under which it was told, where it may not know what the record is called now. */
      readonly reference?: string;
    };

/** Counts what the records of a page add to its answer, about. */
export function spendOn(
  { budget, schemas }: Pick<Settings, "budget" | "schemas">,
  news: readonly News[],
  options: ReadOptions,
): void {
  if (budget.bytesLeft() === Number.POSITIVE_INFINITY) return;
  const photoOf = shownPhoto({ schemas }, options);
  for (const one of news) {
    const { photo: _, ...shown } = one.stored.record;
    if (one.kind === "upsert") budget.spendBytes(jsonBytes(shown) + photoOf(one));
  }
}

/** How many of the first news fit into the answer with the photos that it shows; an empty page takes one in any case. */
export function fittingPhotos(
  { budget, schemas }: Pick<Settings, "budget" | "schemas">,
  {
    news,
    options,
    isEmpty,
  }: { readonly news: readonly News[]; readonly options: ReadOptions; readonly isEmpty: boolean },
): number {
  const photoOf = shownPhoto({ schemas }, options);
  let left = budget.bytesLeft();
  const end = news.findIndex((one) => {
    left -= photoOf(one);
    return left < 0;
  });
  return end === -1 ? news.length : Math.max(end, isEmpty ? 1 : 0);
}

/** Tells how many bytes the photo of a record adds to the answer: what its caller does not see adds none. */
function shownPhoto(settings: Pick<Settings, "schemas">, options: ReadOptions): (one: News) => number {
  const selection = readSelection(["Individual"], options, settings);
  if (!selection.ok || !selection.value.elements?.has("photo")) return () => 0;
  return (one) =>
    one.kind === "upsert" && sees(one.visibility, "photo") ? photoLength(one.stored.record.photo) : 0;
}

/** The items of a page, in order; what they show is told to the audit trail. */
export async function feedItems(
  settings: Settings,
  caller: Caller,
  { news, options }: { readonly news: readonly News[]; readonly options: ReadOptions },
): Promise<readonly FeedItem[]> {
  const upserts = news.flatMap((one) => (one.kind === "upsert" ? [one] : []));
  const whole = await render(
    upserts.map(({ stored }) => stored),
    { store: settings.store, today: settings.today() },
  );
  const shown = upserts.map(({ stored, visibility }, i) => {
    const { type, key } = stored;
    const presentable = { type, record: whole[i] ?? {}, visibility };
    const record = present(presentable, { ...options, photo: false }, settings);
    const hasPhoto = presentable.record.photo !== undefined && sees(visibility, "photo");
    const keys = isExempt(caller) ? keysOf(settings, stored, { whole: presentable.record, record }) : {};
    return { type, key, record, visibility, hasPhoto, keys, shows: shownFields(visibility) };
  });
  tellRead(settings, caller, { action: "feed", shown });
  const records = await shownPhotos(
    settings,
    shown.map(({ record }) => record),
  );
  const parts = new Map(
    shown.map(({ key, ...part }, i) => [key, { ...part, record: records[i] ?? part.record }]),
  );
  return news.map((one): FeedItem => {
    const head = headOf(one);
    if (one.kind === "upsert") {
      const { record = {}, hasPhoto = false, keys = {}, shows } = parts.get(head.key) ?? {};
      const isPerson = head.type === "Individual";
      const refers = Object.keys(keys).length > 0;
      return {
        ...head,
        change: "upsert",
        record,
        ...(isPerson && { photo: hasPhoto }),
        ...(refers && { keys }),
        ...(shows && { shows }),
      };
    }
    if (one.kind === "removed") return { ...head, change: "removed", reason: one.reason };
    return { ...head, change: "removed", reason: "consent" };
  });
}

/** Whom a record refers to, by the references that are shown, but for identifiers that were made for one record. */
function keysOf(
  { namespace }: Settings,
  { type, record, links }: StoredRecord,
  { whole, record: shown }: { readonly whole: JsonObject; readonly record: JsonObject },
): Readonly<Record<string, string>> {
  const stored = referencesOf(type, record);
  const printed = printedReferencesOf(type, whole).map(({ reference }) => reference);
  const seen = printedReferencesOf(type, shown).map(({ reference }) => reference);
  const own = ["registrant", "group", "program-membership"].map((kind) => `/urn:${namespace}:${kind}|`);
  const isOwn = (name: string) =>
    name.startsWith("Program/") || own.some((start) => name.startsWith(start, name.indexOf("/")));
  return Object.fromEntries(
    printed.flatMap((name, i) => {
      const key = links[stored[i]?.reference ?? ""];
      return key === undefined || isOwn(name) || !seen.includes(name) ? [] : [[name, key] as const];
    }),
  );
}

/** Whoever is shown the record is told its version, as by a read. */
function headOf(news: News) {
  const { type, key, record } = news.stored;
  const isShown = news.kind !== "hidden" && news.visibility.basis !== "none";
  const versionId = isShown ? versionOf(record) : "0";
  const told = news.kind === "hidden" ? news.reference : undefined;
  return { type, reference: told ?? referenceTo(type, record), key, versionId };
}
