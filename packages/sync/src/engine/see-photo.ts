import { type ResourceType, referenceTo } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { entryIn, loadWork, toldKey } from "../device/work.ts";
import { backoff } from "../model/backoff.ts";
import { takesPhoto, versionOf } from "../model/content.ts";
import { oldestEdit, photoIn } from "../model/edits.ts";
import { rebaseEntry } from "../model/rebase.ts";
import { putOff, turnedAway } from "../model/settle.ts";
import { askedIfRemoved, askedIfUndone } from "../model/undone.ts";
import type { Reply } from "../transport/reply.ts";
import { isAbsent } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { stopOf } from "./stop.ts";
import { inTheEnd } from "./unheard.ts";

/** What came of a look. */
type Sight =
  /** The version whose photo may be replaced; `null` where none was looked at. */
  | { readonly kind: "seen"; readonly version: number | null }
  /** What kept it from being seen. */
  | { readonly kind: "unseen"; readonly reply: Reply };

const nothing: Sight = { kind: "seen", version: null };

/**
 * Feeds tell at most that there is a photo. So before a photo is replaced, the record is fetched and merged: a photo that somebody else took
 * meanwhile is asked about, and not overwritten unseen.
 */
export async function seePhoto(
  { store, api, clock, random, photos, past }: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
): Promise<Sight> {
  const [work] = await loadWork(store, [name]);
  const entry = work && entryIn(work);
  if (!entry?.base || entry.request || entry.parked) return nothing;
  if (!takesPhoto(entry) || !photos()) return nothing;
  const known = versionOf(entry.base);
  const reply = await api.read(referenceTo(entry.type, entry.base));
  const at = clock().toISOString();
  if (reply.kind === "problem" && isAbsent(reply)) {
    const { problem, detail } = reply;
    const kind = problem === "authorization" ? "forbidden" : "gone";
    await settleWork(store, { ...name, at }, ({ entry: current, local }) =>
      current.request || current.parked ? null : turnedAway(current, local, { kind, detail }, at),
    );
    return nothing;
  }
  if (reply.kind !== "value") {
    // What else there is goes meanwhile, unless nothing would get through.
    if (photoIn(entry).photo === "also" && !stopOf(reply)) return nothing;
    const delay = backoff(entry.attempts + 1, random());
    const nextAttemptAt = new Date(clock().getTime() + delay).toISOString();
    const unknown = { kind: "unknown", detail: reply.detail, nextAttemptAt } as const;
    const others = { store, now: clock(), past: past() };
    const verdict = await inTheEnd(
      { ...entry, since: oldestEdit(entry) },
      { reply, verdict: unknown },
      others,
    );
    await settleWork(store, { ...name, at }, ({ entry: current, local }) =>
      verdict.kind === "rejected"
        ? turnedAway(current, local, verdict, at)
        : { entry: putOff(current, unknown), local, ended: [] },
    );
    return { kind: "unseen", reply };
  }
  const theirs = reply.value;
  if (isAnother({ type: entry.type, base: entry.base, recordKey: work && toldKey(work) }, reply))
    return { kind: "seen", version: known };
  await settleWork(store, { ...name, at }, ({ entry: current, local }) => {
    const busy = current.request || current.parked || versionOf(theirs) < versionOf(current.base);
    if (busy) return null;
    const copies = { local, theirs };
    return (
      askedIfUndone(current, copies, at) ??
      askedIfRemoved(current, copies, at) ??
      rebaseEntry(current, copies, at)
    );
  });
  return { kind: "seen", version: Math.max(known, versionOf(theirs)) };
}
