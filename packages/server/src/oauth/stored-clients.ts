import {
  checkedClock,
  isJsonObject,
  isListOf,
  type JsonObject,
  optionRules,
  plainKind,
  refuseWrongOptions,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import { clock as clockRule, isDirectory } from "../option-rules.ts";
import { type Client, type ClientDirectory, firstTokenSecond } from "./clients.ts";

const collection = "client";

/** The documents of clients, for who looks after the store. */
export const storedClientKind = plainKind(collection);

/** The clients that a store keeps, so that every process on it knows them, and a change holds from the next request on. */
export interface StoredClients extends ClientDirectory {
  /** Adds a client. False when there is one of this id, which stays as it is. */
  add(client: Client): Promise<boolean>;
  /** Every client, by id. */
  list(): Promise<readonly Client[]>;
  /** Lets a client in, or keeps it out, and ends the tokens it has for good. False when there is none of this id. */
  setActive(id: string, active: boolean): Promise<boolean>;
  /**
   * Gives a client another secret, and ends the tokens it has for good: whoever got hold of the former one may have taken some. False
   * when there is none of this id.
   */
  setSecret(id: string, secretHash: string): Promise<boolean>;
}

/**
 * Opens the directory of a store. Finding a client is one read of one document.
 *
 * @param options.clock says when a client's tokens end. Default: the system's
 * @throws TypeError for what is no store or no clock
 */
export function createStoredClients(
  store: Store,
  options: { readonly clock?: () => Date } = {},
): StoredClients {
  const call = "createStoredClients";
  refuseWrongOptions(call, { store, clock: options?.clock }, { store: optionRules.store, clock: clockRule });
  const clock = checkedClock(call, options?.clock ?? (() => new Date()));
  return {
    async find(id) {
      if (!canBeKey(id)) return undefined;
      const [document] = await store.get([{ collection, key: id }]);
      return document && clientIn(document);
    },
    async add(client) {
      const place = { collection, key: client.id };
      const body = { ...client } as unknown as JsonObject;
      const expect = [{ kind: "absent", ...place } as const];
      return (await store.commit({ expect, put: [{ ...place, version: 1, body }] })).ok;
    },
    async list() {
      const clients: Client[] = [];
      for (let after: { value: string | null; key: string } | undefined; ; ) {
        const page = await store.query({ collection, limit: 500, ...(after && { after }) });
        clients.push(...page.documents.flatMap((document) => clientIn(document) ?? []));
        if (!page.next) return clients;
        after = page.next;
      }
    },
    setActive: (id, active) =>
      change(store, id, (client) => ({ active, ...(!active && endedTokens(client, clock())) })),
    setSecret: (id, secretHash) =>
      change(store, id, (client) => ({ secretHash, ...endedTokens(client, clock()) })),
  };
}

/** Writes members of a client, whoever else changes others of it meanwhile. False when there is none of this id. */
async function change(
  store: Store,
  id: string,
  membersFor: (client: Client) => Partial<Client>,
): Promise<boolean> {
  if (!canBeKey(id)) return false;
  const place = { collection, key: id };
  for (;;) {
    const [document] = await store.get([place]);
    const client = document && clientIn(document);
    if (!client) return false;
    const { version } = document;
    const body = { ...client, ...membersFor(client) } as unknown as JsonObject;
    const expect = [{ kind: "version", ...place, version } as const];
    if ((await store.commit({ expect, put: [{ ...place, version: version + 1, body }] })).ok) return true;
  }
}

/** One directory of several: of clients with the same id, the one of the earlier directory counts. */
export function joinDirectories(...directories: readonly ClientDirectory[]): ClientDirectory {
  refuseWrongOptions(
    "joinDirectories",
    { directories },
    {
      directories: [
        (given) => isListOf(given, isDirectory),
        "directories of clients, each an argument of its own",
      ],
    },
  );
  return {
    async find(id) {
      for (const directory of directories) {
        const client = await directory.find(id);
        if (client) return client;
      }
      return undefined;
    },
  };
}

/**
 * The second from which on tokens count. They tell the second in which they were issued: those of the running one end too, and
 * those that were issued ahead since an earlier end.
 */
function endedTokens(client: Client, now: Date): Pick<Client, "tokensNotBefore"> {
  const last = Math.max(Math.floor(now.getTime() / 1000), firstTokenSecond(client));
  return { tokensNotBefore: new Date((last + 1) * 1000).toISOString() };
}

/** Ids come from outside, with every request; the store refuses keys that are none. */
function canBeKey(id: string): boolean {
  return id !== "" && id.length <= 255 && !id.includes("\0") && !/\p{Surrogate}/u.test(id);
}

function clientIn({ body }: StoredDocument): Client | undefined {
  return isJsonObject(body) ? (body as unknown as Client) : undefined;
}
