import {
  type Expectation,
  type JsonObject,
  type Links,
  type Policies,
  referencesOf,
  type Store,
} from "@fieldroll/core";
import { addEdit } from "../model/edits.ts";
import { entryId, type OutboxEntry } from "../model/entry.ts";
import { entryNamed, noted } from "../model/in-names.ts";
import { namesWithin } from "../model/naming.ts";
import { stillAsked } from "../model/typed.ts";
import { collections, committingBy, readState, stateUnchanged, unchanged } from "./documents.ts";
import { entryDocument } from "./outbox.ts";
import { newNames } from "./renames.ts";
import { entryIn, loadWork, localIn, meantIn, type Work } from "./work.ts";

/** The part of a registry's policies that makes it a device's. */
export type DevicePolicies = Required<
  Pick<Policies, "audit" | "extensions" | "faults" | "feeds" | "follow" | "stamp" | "journal">
>;

/** Who edits before anybody ever signed in: such edits are of the first who does. */
export const nobody = "device";

/** Somebody signed in or out since the edit was begun: it is of a person whom this device is not with any more. */
export class ChangedHands extends Error {
  /** @param isAlone whether nobody is signed in, and nobody was when the edit was begun */
  constructor(isAlone: boolean) {
    const why = isAlone
      ? "nobody is signed in on this device"
      : "somebody signed in or out on this device meanwhile";
    super(`Nothing was saved: ${why}. Sign in and repeat it.`);
  }
}

/** Expects that the person who makes an edit goes on being the one whose device this is. */
export async function authorOf(store: Store, by: string): Promise<Expectation> {
  const session = await readState(store, "session");
  const signedIn = session?.body as JsonObject | null | undefined;
  const strange = signedIn ? signedIn.clientId !== by : by !== nobody || (await readState(store, "owner"));
  if (strange) throw new ChangedHands(!signedIn && by === nobody);
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
  readonly skew: () => number;
}): DevicePolicies {
  const { store, newId, clock, skew } = options;
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
      const [works, session] = await Promise.all([
        loadWork(store, changes),
        authorOf(store, first.caller.clientId),
      ]);
      const at = clock().toISOString();
      const put = await Promise.all(
        changes.map(async ({ type, key, before, after, caller }, i) => {
          const work = works[i];
          const { entry, meant } = (before && work && (await understoodToday(store, work, before))) ?? none;
          const edit = { type, key, before, after, by: caller.clientId, at, skew: skew() };
          const next = stillAsked(addEdit(entry, edit, newId()), edit);
          return entryDocument(noted({ ...next, meant }, namesWithin(type, [after])), work?.outbox);
        }),
      );
      const expect = keys.map((key, i) => unchanged(key, works[i]?.outbox));
      return { put, expect: [...expect, session] };
    },
  };
}

const none: { readonly entry: OutboxEntry | null; readonly meant: Links } = { entry: null, meant: {} };

/**
 * A record's unsent work in the names in which the record is shown, and edited, today, and whom all these mean: who is taken out is in its
 * links no more.
 *
 * @param shown the record, which has its references in the order in which it is stored
 */
async function understoodToday(store: Store, work: Work, shown: JsonObject): Promise<typeof none> {
  const { type } = work;
  const [entry, local, links] = [entryIn(work), localIn(work) ?? {}, meantIn(work)];
  const [stored, today] = [local, shown].map((copy) => referencesOf(type, copy));
  if (!stored || !today || stored.length + Object.keys(links).length === 0) return { entry, meant: {} };
  const names = new Map(entry ? await newNames(store, work) : []);
  for (const [i, { reference }] of stored.entries()) names.set(reference, today[i]?.reference ?? reference);
  const called = entry && entryNamed(entry, local, names).entry;
  const meant = Object.entries(links).map(([raw, key]) => [names.get(raw) ?? raw, key] as const);
  return { entry: called, meant: Object.fromEntries(meant) };
}
