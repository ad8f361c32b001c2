import type { Store } from "@fieldroll/core";
import { readState, stateUnchanged } from "../device/documents.ts";
import { accountOf, hasSealed } from "../device/seal.ts";
import { unsealing, unsealWork } from "../device/unseal.ts";
import type { HostPorts } from "../ports.ts";
import type { Session } from "../transport/session.ts";
import { sameElsewhere } from "./another-server.ts";

/**
 * Brings back what stayed sealed although its person is signed in: its record had other unsent work then, the app was killed, or the
 * device was set up for another server; and what was made for the same server under another address. Unless somebody signs in or out
 * meanwhile: that brings back what is theirs.
 *
 * @returns how many records
 */
export async function reclaim({
  store,
  session,
  server,
  feeds,
  clock,
  newId,
}: Pick<HostPorts, "clock" | "newId"> & {
  readonly store: Store;
  readonly session: Pick<Session, "current">;
  readonly server: string;
  readonly feeds: readonly string[];
}): Promise<number> {
  const fence = stateUnchanged("session", await readState(store, "session"));
  const present = await session.current();
  if (!present) return 0;
  const how = await unsealing({ store, feeds, clock, newId, fence });
  let back = 0;
  for (const address of [server, ...(await sameElsewhere(store, how.epoch))]) {
    const account = accountOf(address, present.clientId);
    if (await hasSealed(store, account)) back += (await unsealWork(store, account, how)) ?? 0;
  }
  return back;
}
