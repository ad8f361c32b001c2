import { type ResourceType, referenceTo } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { entryIn, loadWork } from "../device/work.ts";
import { takesPhoto, versionOf } from "../model/content.ts";
import { rebaseEntry } from "../model/rebase.ts";
import type { Reply } from "../transport/reply.ts";
import type { SyncContext } from "./context.ts";

/**
 * Feeds tell of no photos. So before a photo is replaced, the record is fetched and merged: a photo that somebody else took
 * meanwhile is asked about, and not overwritten unseen.
 *
 * @returns what kept it from being seen, or `null`
 */
export async function seePhoto(
  { store, api, clock, photos }: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
): Promise<Reply | null> {
  const [work] = await loadWork(store, [name]);
  const entry = work && entryIn(work);
  if (!entry?.base || entry.request || entry.parked) return null;
  if (!takesPhoto(entry) || !photos()) return null;
  const reply = await api.read(referenceTo(entry.type, entry.base));
  // A refusal is for the write itself to meet.
  if (reply.kind === "problem") return null;
  if (reply.kind !== "value") return reply;
  const theirs = reply.value;
  const at = clock().toISOString();
  await settleWork(store, { ...name, at }, (current, local) => {
    const busy = current.request || current.parked || versionOf(theirs) < versionOf(current.base);
    return busy ? null : rebaseEntry(current, { local, theirs }, at);
  });
  return null;
}
