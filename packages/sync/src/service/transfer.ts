import { failure, isJsonObject, type Json, type Outcome, type Problem, success } from "@fieldroll/core";
import { carriedWork } from "../device/carried.ts";
import { settleWork } from "../device/commit.ts";
import { collections, everyDocument, readState, stateUnchanged } from "../device/documents.ts";
import { epochHere, epochKnown } from "../device/feed-state.ts";
import { entryOf } from "../device/outbox.ts";
import { accountOf, type SealedWork, sealedWork, takeIn, unsentWork } from "../device/seal.ts";
import { isSealedWork } from "../device/sealed-shape.ts";
import { unsealing, unsealWork } from "../device/unseal.ts";
import { toldKey } from "../device/work.ts";
import { freezeWork } from "../engine/frozen.ts";
import { randomBytes } from "../host.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import type { Carried, TakenIn } from "../types.ts";
import { misstatedText } from "./misstated.ts";
import type { Parts } from "./parts.ts";
import { overtaken } from "./problems.ts";
import { openedText, sealedText } from "./sealed-file.ts";

/** What a file holds. */
interface Contents {
  /** The address of the server it was made for, and the state of that server's data, by which it is known under another address. */
  readonly server: string;
  readonly epoch: string | null;
  /** Whose it is. */
  readonly clientId: string;
  readonly works: readonly SealedWork[];
}

type Present = Pick<Parts, "store" | "server" | "session" | "feeds" | "clock" | "newId">;

/**
 * Puts all unsent work of the person who is signed in into a file, for a device that can't send it any more. It stays here as
 * well: should both devices send it, the server takes each request once, for it has one key from now on.
 */
export async function exportUnsent(parts: Present, passphrase: string): Promise<Outcome<Carried>> {
  const { store, server, session, feeds } = parts;
  const misstated = misstatedText({ passphrase });
  if (misstated) return failure(misstated);
  const owner = await readState(store, "owner");
  const present = await session.current();
  if (!present) return failure(signedOut);
  if ([...passphrase].length < shortest) return failure(tooShort);
  const epoch = await epochHere(store, feeds);
  await freezeAll(parts, epoch);
  const account = accountOf(server, present.clientId);
  const works: SealedWork[] = [];
  for await (const work of unsentWork(store, epoch)) works.push(work);
  works.push(...(await sealedWork(store, account)));
  // Handed over meanwhile, it may be another's work.
  if ((await readState(store, "owner"))?.version !== owner?.version) return failure(overtaken);
  const contents: Contents = {
    server,
    epoch: await epochKnown(store, feeds),
    clientId: present.clientId,
    works: works.map(carriedWork),
  };
  return success({
    records: works.length,
    file: await sealedText(contents as unknown as Json, passphrase, randomBytes),
  });
}

/**
 * Marks and freezes what two devices will have: a change that one of them sends, and that somebody undoes, must not be made again by
 * the other. What waits for a person, or stands on a version that nobody is sure of, has no request yet.
 */
async function freezeAll({ store, clock, newId }: Present, epoch: string | null): Promise<void> {
  const at = clock().toISOString();
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const { type, key } = entryOf(document);
    await settleWork(store, { type, key, at }, ({ entry, local }, work) => {
      const carried = { ...entry, edits: entry.edits.map((edit) => ({ ...edit, carried: true })) };
      const marked = { entry: carried, local, ended: [] };
      if (entry.epoch !== undefined || (entry.base && epoch === null)) return marked;
      const known = { entry: carried, local, recordKey: toldKey(work) };
      const settled = freezeWork(known, { newId, at, epoch, photos: false }) ?? marked;
      const request = entry.request ? null : settled.entry?.request;
      return settled.entry && request
        ? { ...settled, entry: { ...settled.entry, request: { ...request, early: true } } }
        : settled;
    });
  }
}

/** Takes in what another device put into a file: into the outbox of the person it is of, or sealed until they sign in here. */
export async function importUnsent(
  parts: Present & Pick<Parts, "landed">,
  file: string,
  passphrase: string,
): Promise<Outcome<TakenIn>> {
  const { store, server, session, feeds, landed } = parts;
  const misstated = misstatedText({ file, passphrase });
  if (misstated) return failure(misstated);
  const present = await session.current();
  if (!present) return failure(signedOut);
  const opened = await openedText(file, passphrase);
  if (opened.kind === "wrong") return failure(wrong);
  const contents = opened.kind === "opened" ? contentsIn(opened.value) : undefined;
  if (!contents) return failure(noFile);
  const { epoch } = contents;
  const sameData = epoch !== null && !isPlainEpoch(epoch) && epoch === (await epochKnown(store, feeds));
  if (contents.server !== server && !sameData) return failure(otherServer);
  const fence = stateUnchanged("session", await readState(store, "session"));
  // Whoever was signed in when the file began to be opened may have left since.
  if ((await session.current())?.clientId !== present.clientId) return failure(overtaken);
  const account = accountOf(server, contents.clientId);
  const taken = await takeIn(store, account, { works: contents.works, fence });
  const own = contents.clientId === present.clientId;
  const restored = own ? await unsealWork(store, account, await unsealing({ ...parts, fence })) : 0;
  if (taken === null || restored === null) return failure(overtaken);
  if (restored > 0) landed();
  return success({ restored, sealed: Math.max(0, taken - restored) });
}

function contentsIn(value: unknown): Contents | undefined {
  if (!isJsonObject(value) || typeof value.clientId !== "string" || !Array.isArray(value.works))
    return undefined;
  return value.works.every(isSealedWork) ? (value as unknown as Contents) : undefined;
}

/** Characters: whoever finds the file may try as often as they like. */
const shortest = 10;

const signedOut: Problem = {
  kind: "authentication",
  detail: "Nobody is signed in on this device. Sign in first.",
};
const tooShort: Problem = {
  kind: "validation",
  detail: `The passphrase keeps people's data from whoever finds the file: take ${shortest} characters or more.`,
  errors: [{ field: "passphrase", code: "too_short", message: `must have ${shortest} characters or more` }],
};
const wrong: Problem = {
  kind: "validation",
  detail: "The passphrase is not the one of this file, or the file was changed. Nothing was taken in.",
  errors: [{ field: "passphrase", code: "invalid_value", message: "does not open the file" }],
};
const noFile: Problem = {
  kind: "validation",
  detail:
    "This is no file of unsent changes, an incomplete copy of one, or one of a later version of this app. Nothing was taken in.",
  errors: [{ field: "file", code: "invalid_value", message: "is no file of unsent changes" }],
};
const otherServer: Problem = {
  kind: "invalid-state",
  detail: "These changes were made for another server. Take them in on a device that is set up for that one.",
};
