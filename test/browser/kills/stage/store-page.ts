import { createMemoryStore, resourceTypes } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { createFieldClient, type SignIn } from "@fieldroll/sync";
import { contentOf, writeFirstLayout } from "../../../upgrade/first-layout.ts";
import { addToken } from "./tokens.ts";

/** What is done to a tablet's store while its app is closed. */
export interface StorePage {
  /** Writes the store anew, as the first version of this software left it, with these edits in its outbox. */
  writeFirst(credentials: SignIn, edits: readonly FirstEdit[]): Promise<void>;
  /** Takes every person away, and leaves all else, as a browser that repairs a damaged database may. */
  loseRecords(): Promise<number>;
  remove(): Promise<void>;
  version(): Promise<number | undefined>;
}

/** A token for a record, or for one to be made. */
export interface FirstEdit {
  readonly reference: string | null;
  readonly token: string;
}

const name = "fieldroll";
const collections = [
  ...resourceTypes,
  "outbox",
  "outbox-history",
  "accepted",
  "sync",
  "scope",
  "seen",
  "waiting",
];

const page: StorePage = {
  async writeFirst({ clientId, clientSecret }, edits) {
    const store = createMemoryStore();
    const server = `${window.location.origin}/api/v2`;
    const client = createFieldClient({ server, store, automatic: false });
    const signedIn = await client.signIn({ clientId, clientSecret });
    if (!signedIn.ok) throw new Error(signedIn.problem.detail);
    await client.sync();
    for (const { reference, token } of edits) {
      const made = reference
        ? await client.individuals.update(reference, (draft) => addToken(draft, token))
        : await client.individuals.create(addToken({ name: { given: "Ana", family: token } }, token));
      if (!made.ok) throw new Error(made.problem.detail);
    }
    await page.remove();
    (await writeFirstLayout(name, await contentOf(store, { collections, feeds: [] }))).close();
    await client.close();
  },
  async loseRecords() {
    const store = await openIndexedDbStore({ name });
    const { documents } = await store.query({ collection: "Individual", limit: 100_000 });
    await store.commit({ remove: documents });
    await store.close();
    return documents.length;
  },
  remove: () =>
    new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error("Somebody has the database open."));
    }),
  version: async () => (await indexedDB.databases()).find((each) => each.name === name)?.version,
};

Object.assign(globalThis, { store: page });
