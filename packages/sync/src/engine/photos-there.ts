import { sameJson } from "@fieldroll/core";
import type { PulledItem } from "../device/locate.ts";
import { entryIn, loadWork, localIn, type Work } from "../device/work.ts";
import { takesPhoto, withKnownPhoto, withPhotoOf } from "../model/content.ts";
import { newestCopy } from "../model/park.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";

/** Which part of the photos of records that did not change is looked at when everything is listed: all of them, each day, would be too much. */
const share = 1 / 8;

/**
 * A page of a plain server's lists, which are without photos, with what that shows of the photos that are known here: they are asked for where the
 * record changed, and now and then else, for nothing in a list tells that a consent hides the photo alone. Where no answer shows one it goes:
 * nobody knows whether it may be shown, and a photo that is too large for the network must not hold up all else.
 */
export async function withPhotosThere(
  { store, api, random }: Pick<SyncContext, "store" | "api" | "random">,
  page: PulledPage,
  isListing: boolean,
): Promise<PulledPage> {
  if (!page.plain) return page;
  const works = await loadWork(store, page.items);
  const told: PulledItem[] = [];
  for (const [i, item] of page.items.entries()) {
    const { record, reference, type } = item;
    const known = works[i] && copyWithPhoto(works[i]);
    const isSame = record && known && sameJson(withKnownPhoto({ record }, known), known);
    const isAsked = record && known && (!isSame || (isListing && random() < share));
    if (!isAsked) {
      told.push(item);
      continue;
    }
    const reply = await api.read(reference);
    const isIt = reply.kind === "value" && !isAnother({ type, base: record, recordKey: undefined }, reply);
    const seen = withPhotoOf(record, isIt ? reply.value : null);
    told.push({ ...item, record: seen, photo: seen.photo !== undefined });
  }
  return { ...page, items: told };
}

/** The server's last copy of a record, where it has a photo. One that is replaced here is looked at before that is sent. */
function copyWithPhoto(work: Work) {
  const entry = entryIn(work);
  const copy = entry ? newestCopy(entry) : localIn(work);
  const isLookedAt = entry && !entry.parked && takesPhoto(entry);
  return copy?.photo === undefined || isLookedAt ? undefined : copy;
}
