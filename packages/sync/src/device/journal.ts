import type { Expectation, JsonObject, Policies, Store } from "@fieldroll/core";
import { addEdit } from "../model/edits.ts";
import { entryId } from "../model/entry.ts";
import { collections, committingBy, readState, stateUnchanged, unchanged } from "./documents.ts";
import { entryDocument, entryOf } from "./outbox.ts";

/** The part of a registry's policies that makes it a device's. */
export type DevicePolicies = Required<
  Pick<Policies, "audit" | "extensions" | "faults" | "feeds" | "follow" | "stamp" | "journal">
>;

/** Who edits before anybody ever signed in: such edits are of the first who does. */
export const nobody = "device";

/** Somebody signed in or out since the edit was begun: it is of a person whom this device is not with any more. */
export class ChangedHands extends Error {
  constructor() {
    super("Nothing was saved: somebody signed in or out on this device meanwhile. Sign in and repeat it.");
  }
}

/** Expects that the person who makes an edit goes on being the one whose device this is. */
async function authorOf(store: Store, by: string): Promise<Expectation> {
  const session = await readState(store, "session");
  const signedIn = session?.body as JsonObject | null | undefined;
  const strange = signedIn ? signedIn.clientId !== by : by !== nobody || (await readState(store, "owner"));
  if (strange) throw new ChangedHands();
  return stateUnchanged("session", session);
}

/** A store for what a person decides: nothing is committed once the device is not theirs any more. */
export function storeOf(store: Store, by: string): Store {
  return committingBy(store, async (writes) => {
    const author = await authorOf(store, by);
    return store.commit({ ...writes, expect: [...(writes.expect ?? []), author] });
  });
}

/**
 * Makes every write of a registry an edit: the outbox entry commits together with the record, or neither does. The
 * version shown stays the server's, for only the server counts versions.
 */
export function devicePolicies(options: {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => Date;
}): DevicePolicies {
  const { store, newId, clock } = options;
  return {
    feeds: () => [],
    audit: false,
    extensions: "always",
    faults: "brought",
    follow: false,
    stamp: (previous, caller, now) =>
      previous ?? { versionId: "0", lastUpdated: now, source: `urn:service:device:${caller.clientId}` },
    async journal(changes) {
      const [first] = changes;
      if (!first) return {};
      const keys = changes.map(({ type, key }) => ({
        collection: collections.outbox,
        key: entryId(type, key),
      }));
      const [found, session] = await Promise.all([store.get(keys), authorOf(store, first.caller.clientId)]);
      const at = clock().toISOString();
      const put = changes.map((change, i) => {
        const document = found[i];
        const { type, key, before, after, caller } = change;
        const local = { type, key, before, after, by: caller.clientId, at };
        return entryDocument(addEdit(document ? entryOf(document) : null, local, newId()), document);
      });
      const expect = keys.map((key, i) => unchanged(key, found[i]));
      return { put, expect: [...expect, session] };
    },
  };
}
