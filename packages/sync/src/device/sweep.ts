import { type JsonObject, type ResourceType, resourceTypes, type Store } from "@fieldroll/core";
import { absorb } from "../model/absorb.ts";
import type { Settled } from "../model/entry.ts";
import { commitParts } from "./commit.ts";
import { everyDocument } from "./documents.ts";
import { metKeys, notesOf } from "./feed-state.ts";
import { entryIn, loadWork, localIn, settledParts, type Work } from "./work.ts";

/**
 * Ends a pull that started over: what the server did not tell of again is not there any more. Clean records go, records
 * with unsent work are parked, and those made here that the server has not got stay as they are.
 *
 * @param at UTC instant
 */
export async function sweep(store: Store, at: string): Promise<void> {
  const met = await metKeys(store);
  for (const type of resourceTypes) {
    for await (const document of everyDocument(store, { collection: type })) {
      if (!met.has(serverKeyOf(document))) await letGo(store, { type, key: document.key, at });
    }
  }
  await store.commit({ remove: await notesOf(store) });
}

/** A record's key on the server: its own, unless it was made here. */
function serverKeyOf({ key, claims }: { readonly key: string; readonly claims: readonly string[] }): string {
  const alias = claims.find((claim) => claim.startsWith("server:"));
  return alias ? alias.slice("server:".length) : key;
}

/** Tried until nothing interferes: an edit made meanwhile turns going into being parked. */
async function letGo(
  store: Store,
  name: { readonly type: ResourceType; readonly key: string; readonly at: string },
): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const [work] = await loadWork(store, [name]);
    const local = work && localIn(work);
    if (!work || !local) return;
    const settled = withoutServer(work, local, name.at);
    if (!settled) return;
    if (!(await commitParts(store, [settledParts(work, settled, { at: name.at, links: {} })]))) return;
  }
}

function withoutServer(work: Work, local: JsonObject, at: string): Settled | null {
  const entry = entryIn(work);
  if (!entry) return { entry: null, local: null, ended: [] };
  if (!entry.base || entry.parked?.reason === "gone") return null;
  return absorb(entry, local, { kind: "removed", versionId: "0", reason: "not-found" }, { at });
}
