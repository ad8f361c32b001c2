import { isJsonObject, type Json, type Store } from "@fieldroll/core";
import { keptFor } from "../device/accepted.ts";
import { collections, everyDocument, readState, stateUnchanged } from "../device/documents.ts";
import { epochHere } from "../device/feed-state.ts";
import { accountOf, type SealedWork, takeIn, unsentWork } from "../device/seal.ts";
import { isSealedWork } from "../device/sealed-shape.ts";
import { readSession } from "../device/session-state.ts";
import { unsealing, unsealWork } from "../device/unseal.ts";
import type { HostPorts } from "../ports.ts";

/** Keeps a copy of all that is unsent outside the store, and gives it back to a store that was lost. */
export interface CopyKeeper {
  /** Something unsent may have changed: the copy is made anew soon. */
  changed(): void;
  /** Puts what the copy has into a store that is not the one it was made of, sealed until its people sign in. */
  restore(): Promise<void>;
  /** Makes the last copy. @param leads whether it is this service's to make it */
  close(leads: boolean): Promise<void>;
}

interface Contents {
  readonly format: 1;
  readonly works: readonly Copied[];
}

interface Copied {
  /** A person at a server: what another server is to get waits until this device is set up for that one again. */
  readonly account: string;
  readonly work: SealedWork;
}

/** Characters: the copy must not take the room that the store needs. Photos come last. */
const mostText = 2_000_000;
/** Between two copies, in milliseconds; longer where making one takes long. */
const pause = { least: 1_000, most: 60_000, ofDuration: 20 };
const rounds = 5;
/** How long the app waits for the copy when it is opened or closed, in milliseconds. */
const longest = 5_000;

export function createCopyKeeper({
  store,
  server,
  feeds,
  copy,
  clock,
  newId,
  timers,
  leads,
  restored,
}: Pick<HostPorts, "copy" | "clock" | "timers" | "newId"> & {
  readonly store: Store;
  readonly server: string;
  readonly feeds: () => readonly string[];
  /** Called when work of whoever is signed in is back in the outbox. */
  readonly restored: () => void;
  /** Whether it is this service's to make the copy. */
  readonly leads: () => boolean;
}): CopyKeeper {
  let cancel: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  let wait = pause.least;
  let last: string | null = null;
  /** Whether the copy that is there has been looked at: until then it may have what the store lost. */
  let isKnown = false;

  async function look(): Promise<void> {
    const text = copy && (await copy.read());
    const known = await restore({ store, server, feeds: feeds(), clock, newId }, text);
    isKnown = known !== null;
    if (known) restored();
  }

  async function write(): Promise<void> {
    if (!copy) return;
    if (!isKnown) await look();
    if (!isKnown) return;
    const begin = clock().getTime();
    const text = await copyOf(store, server, feeds());
    if (text === null || text === last) return;
    await copy.write(text);
    last = text;
    const took = Math.max(0, clock().getTime() - begin);
    wait = Math.min(Math.max(pause.least, took * pause.ofDuration), pause.most);
  }

  /** Without a copy everything goes on: the store has it all. */
  function writeNow(led: boolean): Promise<void> {
    cancel?.();
    cancel = null;
    // Another that leads writes its own meanwhile.
    if (led) writing = writing.then(write).catch(() => undefined);
    else last = null;
    return writing;
  }

  /** A disk may have no answer at all; nobody waits for that. */
  function inTime(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stop = timers.set(longest, resolve);
      void work
        .catch(() => undefined)
        .finally(() => {
          stop();
          resolve();
        });
    });
  }

  return {
    changed() {
      if (copy) cancel ??= timers.set(wait, () => void writeNow(leads()));
    },
    // What can't be read or given back now is tried again before the next copy is made.
    restore: () => inTime(look()),
    close: (leading) => inTime(writeNow(leading)),
  };
}

/** The text of {@link Contents}. Each record's work is written out as it is read: all of it at once would be in the way of an edit. */
async function copyOf(store: Store, server: string, feeds: readonly string[]): Promise<string | null> {
  const owner = await readState(store, "owner");
  const works: string[] = [];
  const add = (account: string, work: SealedWork) => {
    const copied: Copied = { account, work };
    works.push(JSON.stringify(copied));
  };
  if (owner) {
    const account = accountOf(server, String(owner.body));
    for await (const work of unsentWork(store, await epochHere(store, feeds))) add(account, work);
  }
  for await (const { entries, body } of everyDocument(store, { collection: collections.sealed })) {
    for (const account of entries.account ?? []) add(account, body as unknown as SealedWork);
  }
  // Handed over meanwhile, it may be another's work: there is a copy again when that is done.
  if ((await readState(store, "owner"))?.version !== owner?.version) return null;
  return `{"format":1,"works":[${shortest(works).join()}]}`;
}

/** As many as there is room for. */
function shortest(works: readonly string[]): readonly string[] {
  let left = mostText;
  const kept = new Set(
    [...works.keys()]
      .sort((a, b) => (works[a]?.length ?? 0) - (works[b]?.length ?? 0))
      .filter((nth) => {
        left -= works[nth]?.length ?? 0;
        return left >= 0;
      }),
  );
  return works.filter((_, nth) => kept.has(nth));
}

type Place = Pick<HostPorts, "clock" | "newId"> & {
  readonly store: Store;
  readonly server: string;
  readonly feeds: readonly string[];
};

/**
 * Puts a copy's work into a store that has not got it: another one than it was made of, or the same in a former state. Another copy may
 * take its place then.
 *
 * @returns how many records came into the outbox; `null` where the store does not have it all
 */
async function restore(place: Place, text: string | null): Promise<number | null> {
  const contents = contentsIn(text);
  if (contents === "later") return null;
  if (contents === null) return 0;
  const accounts = [...new Set(contents.works.map(({ account }) => account))];
  let opened = 0;
  for (const account of accounts) {
    const forgotten = new Date(place.clock().getTime() - keptFor).toISOString();
    const own = contents.works.flatMap((each) =>
      each.account === account ? doubtedBefore(forgotten, each.work) : [],
    );
    const back = await taken(place, account, own);
    if (back === null) return null;
    opened += back;
  }
  return opened;
}

/** Of edits so old nobody knows any more whether they were sent: as of those that a file has too, a person is asked where it matters. */
function doubtedBefore(forgotten: string, { entry, ...work }: SealedWork): SealedWork {
  const edits = entry.edits.map((edit) => (edit.at < forgotten ? { ...edit, carried: true } : edit));
  return { ...work, entry: { ...entry, edits } };
}

/** Sealed until its person signs in, unless that is who is signed in now. Another tab may do the same at this moment. */
async function taken(
  { store, server, feeds, clock, newId }: Place,
  account: string,
  works: readonly SealedWork[],
): Promise<number | null> {
  for (let round = 0; round < rounds; round++) {
    const fence = stateUnchanged("session", await readState(store, "session"));
    const present = await readSession(store);
    if ((await takeIn(store, account, { works, fence })) === null) continue;
    if (!present || accountOf(server, present.clientId) !== account) return 0;
    const how = await unsealing({ store, feeds, clock, newId, fence });
    const opened = await unsealWork(store, account, how);
    if (opened !== null) return opened;
  }
  return null;
}

/**
 * What a copy says, as far as it can be understood: one that is damaged is none. One of a later version of this software is left
 * alone, for the day when that is here again.
 */
function contentsIn(text: string | null): Contents | "later" | null {
  try {
    const value = JSON.parse(text ?? "null") as Json;
    if (!isJsonObject(value)) return null;
    const { format, works } = value;
    if (typeof format === "number" && format > 1) return "later";
    if (format !== 1 || !Array.isArray(works)) return null;
    const known = works.filter(
      (each) => isJsonObject(each) && typeof each.account === "string" && isSealedWork(each.work),
    );
    return { format, works: known as unknown as readonly Copied[] };
  } catch {
    return null;
  }
}
