import { tellRead } from "../../audit/tell-read.ts";
import { sees, type Visibility } from "../../consent/visibility.ts";
import { present } from "../present.ts";
import type { StoredRecord } from "../record/document.ts";
import { referenceTo, render } from "../record/render.ts";
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
  const shown = upserts.map(({ stored: { type, key }, visibility }, i) => {
    const presentable = { type, record: whole[i] ?? {}, visibility };
    const record = present(presentable, { ...options, photo: false }, settings);
    const hasPhoto = presentable.record.photo !== undefined && sees(visibility, "photo");
    return { type, key, record, visibility, hasPhoto };
  });
  tellRead(settings, caller, { action: "feed", shown });
  const parts = new Map(shown.map(({ key, ...part }) => [key, part]));
  return news.map((one): FeedItem => {
    const head = headOf(one);
    if (one.kind === "upsert") {
      const { record = {}, hasPhoto = false } = parts.get(head.key) ?? {};
      return { ...head, change: "upsert", record, ...(head.type === "Individual" && { photo: hasPhoto }) };
    }
    if (one.kind === "removed") return { ...head, change: "removed", reason: one.reason };
    return { ...head, change: "removed", reason: "consent" };
  });
}

/** The version is part of `meta`: it is told to those who see that. */
function headOf(news: News) {
  const { type, key, record } = news.stored;
  const versionId = news.kind !== "hidden" && sees(news.visibility, "meta") ? versionOf(record) : "0";
  const told = news.kind === "hidden" ? news.reference : undefined;
  return { type, reference: told ?? referenceTo(type, record), key, versionId };
}
