import type { Store } from "@fieldroll/core";
import { readState, stateUnchanged } from "../device/documents.ts";
import { epochHere } from "../device/feed-state.ts";
import { accountOf, hasSealed } from "../device/seal.ts";
import { unsealWork } from "../device/unseal.ts";
import type { HostPorts } from "../ports.ts";
import type { Session } from "../transport/session.ts";

/**
 * Brings back what stayed sealed although its person is signed in, because its record had other unsent work then. Unless somebody
 * signs in or out meanwhile: that brings back what is theirs.
 *
 * @returns how many records
 */
export async function reclaim({
  store,
  session,
  server,
  feeds,
  clock,
}: Pick<HostPorts, "clock"> & {
  readonly store: Store;
  readonly session: Pick<Session, "current">;
  readonly server: string;
  readonly feeds: readonly string[];
}): Promise<number> {
  const fence = stateUnchanged("session", await readState(store, "session"));
  const present = await session.current();
  const account = present && accountOf(server, present.clientId);
  if (account === null || !(await hasSealed(store, account))) return 0;
  const how = { fence, epoch: await epochHere(store, feeds), at: clock().toISOString() };
  return (await unsealWork(store, account, how)) ?? 0;
}
