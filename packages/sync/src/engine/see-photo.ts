import { type ResourceType, referenceTo } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { entryIn, loadWork } from "../device/work.ts";
import { backoff } from "../model/backoff.ts";
import { takesPhoto, versionOf } from "../model/content.ts";
import { rebaseEntry } from "../model/rebase.ts";
import { putOff } from "../model/settle.ts";
import { askedIfUndone } from "../model/undone.ts";
import type { Reply } from "../transport/reply.ts";
import type { SyncContext } from "./context.ts";

/**
 * Feeds tell of no photos. So before a photo is replaced, the record is fetched and merged: a photo that somebody else took
 * meanwhile is asked about, and not overwritten unseen.
 *
 * @returns what kept it from being seen, or `null`
 */
export async function seePhoto(
  { store, api, clock, random, photos }: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
): Promise<Reply | null> {
  const [work] = await loadWork(store, [name]);
  const entry = work && entryIn(work);
  if (!entry?.base || entry.request || entry.parked) return null;
  if (!takesPhoto(entry) || !photos()) return null;
  const reply = await api.read(referenceTo(entry.type, entry.base));
  // A refusal is for the write itself to meet.
  if (reply.kind === "problem") return null;
  const at = clock().toISOString();
  if (reply.kind !== "value") {
    await settleWork(store, { ...name, at }, (current, local) => {
      const delay = backoff(current.attempts + 1, random());
      const nextAttemptAt = new Date(clock().getTime() + delay).toISOString();
      return { entry: putOff(current, { detail: reply.detail, nextAttemptAt }), local, ended: [] };
    });
    return reply;
  }
  const theirs = reply.value;
  await settleWork(store, { ...name, at }, (current, local) => {
    const busy = current.request || current.parked || versionOf(theirs) < versionOf(current.base);
    if (busy) return null;
    return askedIfUndone(current, { local, theirs }, at) ?? rebaseEntry(current, { local, theirs }, at);
  });
  return null;
}
