import { type JsonObject, type Store, StoreError } from "@fieldroll/core";
import { forgetAccepted } from "../device/accepted.ts";
import { readState, stateDocument, stateUnchanged } from "../device/documents.ts";
import { canaryOf, epochHere, epochLastKnown, startOver } from "../device/feed-state.ts";
import { forgetRecords } from "../device/forget.ts";
import { accountOf, sealWork } from "../device/seal.ts";
import { endSession } from "../device/session-state.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import type { Parts } from "./parts.ts";

const formerServers = "former-servers";

/**
 * Notes which server the device is set up for. What was made for another one stays sealed until the device is set up for that again,
 * or this one turns out to have the same data under another address: practice must not get into a real register.
 *
 * What one plain server is to get can't be told from what is another's: they say nothing of their data. Nor is anything known of an
 * address at which no registry ever answered.
 */
export async function meetServer({
  store,
  server,
  feeds,
  newId,
}: Pick<Parts, "store" | "server" | "feeds" | "newId">): Promise<void> {
  const found = await readState(store, "server");
  if (found?.body === server) return;
  if (found) {
    await leaveServer({ store, feeds, newId, server: String(found.body) });
    await forgetAccepted(store);
  }
  await store.commit({ put: [stateDocument("server", found, server)] });
}

/** Broken off, it goes on from there: what is not sealed yet is sealed before anything is forgotten. */
async function leaveServer({
  store,
  server,
  feeds,
  newId,
}: Pick<Parts, "store" | "server" | "feeds" | "newId">): Promise<void> {
  const [owner, epoch] = [await readState(store, "owner"), await epochLastKnown(store, feeds)];
  if (isPlainEpoch(epoch)) return;
  const canary = await canaryOf(store, newId);
  if (owner && epoch !== null) {
    await noteFormer(store, server, epoch);
    const fence = stateUnchanged("session", await endSession(store));
    const account = accountOf(server, String(owner.body));
    const sealed = await sealWork(store, account, fence, await epochHere(store, feeds));
    if (sealed === null || !(await forgetRecords(store, feeds, { canary, fence }))) {
      const detail = "Somebody signed in while the device was being set up; it is tried again.";
      throw new StoreError("unavailable", detail);
    }
  }
  // Work that comes back here brings its record, which may have left the feeds meanwhile: no feed tells of that.
  await startOver(store, feeds, canary, true);
}

async function noteFormer(store: Store, server: string, epoch: string): Promise<void> {
  const found = await readState(store, formerServers);
  const body = { ...((found?.body ?? {}) as JsonObject), [server]: epoch };
  await store.commit({ put: [stateDocument(formerServers, found, body)] });
}

/** Other addresses at which this device met the same data. */
export async function sameElsewhere(store: Store, epoch: string | null): Promise<readonly string[]> {
  const found = await readState(store, formerServers);
  return Object.entries((found?.body ?? {}) as JsonObject).flatMap(([server, its]) =>
    its === epoch ? [server] : [],
  );
}
