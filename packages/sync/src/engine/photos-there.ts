import { type JsonObject, sameJson } from "@fieldroll/core";
import type { PulledItem } from "../device/locate.ts";
import { entryIn, loadWork, localIn, type Work } from "../device/work.ts";
import { takesPhoto, withKnownPhoto, withPhotoOf } from "../model/content.ts";
import { newestCopy } from "../model/park.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { stopOf } from "./stop.ts";

/** Which part of the photos of records that did not change is looked at when everything is listed: all of them, each day, would be too much. */
const share = 1 / 8;

/** So many looks a page, which nothing of the page is written before. */
const mostLooks = 50;

/**
 * A page of a plain server's lists, which are without photos, with what that shows of the photos that are known here: they are asked for where the
 * record changed, and now and then else, for nothing in a list tells that a consent hides the photo alone. Where no answer shows one it goes:
 * nobody knows whether it may be shown, and a photo that is too large for the network must not hold up all else. The server's is
 * untouched by that. Only beside an edit of the photo the one that is known stays until an answer says otherwise, for that is compared with it.
 */
export async function withPhotosThere(
  { store, api, random }: Pick<SyncContext, "store" | "api" | "random">,
  page: PulledPage,
  isListing: boolean,
): Promise<PulledPage> {
  if (!page.plain) return page;
  const works = await loadWork(store, page.items);
  const told: PulledItem[] = [];
  let left = mostLooks;
  for (const [i, item] of page.items.entries()) {
    const { record } = item;
    const known = works[i] && copyWithPhoto(works[i]);
    const isSame = record && known && sameJson(withKnownPhoto({ record }, known.copy), known.copy);
    const isAsked = record && known && (!isSame || (isListing && random() < share));
    if (!isAsked) {
      told.push(item);
      continue;
    }
    const reply = left-- > 0 ? await api.read(item.reference) : null;
    // What is in the way of this one is in the way of the others.
    if (reply && stopOf(reply)) left = 0;
    told.push(seen({ ...item, record }, reply, known));
  }
  return { ...page, items: told };
}

/** An item with the photo that an answer shows. */
function seen(
  item: PulledItem & { readonly record: JsonObject },
  reply: Checked<JsonObject> | null,
  { isEdited }: { readonly isEdited: boolean },
): PulledItem {
  const { type, record: base } = item;
  const isIt = reply?.kind === "value" && !isAnother({ type, base, recordKey: undefined }, reply);
  if (!isIt && isEdited) return item;
  const record = withPhotoOf(base, isIt ? reply.value : null);
  return { ...item, record, photo: record.photo !== undefined };
}

/** The server's last copy of a record, where it has a photo. One that is replaced here is looked at before that is sent. */
function copyWithPhoto(work: Work) {
  const entry = entryIn(work);
  const copy = entry ? newestCopy(entry) : localIn(work);
  const isEdited = entry !== null && takesPhoto(entry);
  return copy?.photo === undefined || (isEdited && !entry.parked) ? undefined : { copy, isEdited };
}
