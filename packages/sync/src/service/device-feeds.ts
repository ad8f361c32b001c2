import type { Store } from "@fieldroll/core";
import { commitParts, noParts } from "../device/commit.ts";
import { readState, stateDocument, stateUnchanged } from "../device/documents.ts";
import { canaryOf, readAgainParts } from "../device/feed-state.ts";
import { readHolders } from "../device/session-state.ts";

/** What this device keeps a copy of. Of several tabs, the one that was set up last says it for all. */
export interface DeviceFeeds {
  /** As far as this service knows. */
  readonly current: readonly string[];
  /** Reads what it is by now. */
  follow(): Promise<readonly string[]>;
}

/** @param given what this service was set up with */
export function feedsOf(store: Store, given: readonly string[]): DeviceFeeds {
  let current = given;
  return {
    get current() {
      return current;
    },
    async follow() {
      const found = await readState(store, "feeds");
      if (found && found.body !== JSON.stringify(current)) current = JSON.parse(String(found.body));
      return current;
    },
  };
}

/**
 * Notes what this device is to keep. One that is told to keep something else reads anew: what it does not meet again goes. The run of
 * another tab is over with that, for it reads what was kept before.
 *
 * @returns whether something else was kept before
 */
export async function setFeeds(options: {
  readonly store: Store;
  readonly feeds: readonly string[];
  readonly newId: () => string;
}): Promise<boolean> {
  const { store, feeds, newId } = options;
  const canary = await canaryOf(store, newId);
  const wanted = JSON.stringify(feeds);
  for (;;) {
    const [found, { run }] = [await readState(store, "feeds"), await readHolders(store)];
    if (found?.body === wanted) return false;
    const former: readonly string[] = found ? JSON.parse(String(found.body)) : [];
    const anew = found ? await readAgainParts(store, feeds, canary, former) : noParts;
    const put = [stateDocument("feeds", found, wanted), stateDocument("run", run, null)];
    const expect = [stateUnchanged("feeds", found), stateUnchanged("run", run)];
    if (!(await commitParts(store, [anew, { expect, put, remove: [] }]))) return found !== undefined;
  }
}
