import type { Document, DocumentKey, Store, StoredDocument } from "@fieldroll/core";

/**
 * A store as one piece of work sees it: what was read is not asked for again, for each turn through a browser's storage takes
 * milliseconds, and longer where others are at work beside. What is decided on it stands by what its commit expects, as it would if
 * all had been read at once; after a commit that failed everything is read anew, and after one that did not, what was put is known.
 *
 * For one piece of work alone: others' commits are not seen.
 */
export function readingOnce(store: Store): Store {
  const documents = new Map<string, Promise<StoredDocument | undefined>>();
  const holders = new Map<string, Promise<DocumentKey | undefined>>();

  function note(at: DocumentKey, read: Promise<StoredDocument | undefined>): void {
    documents.set(idOf(at), read);
  }

  /** A document says itself what it holds. */
  function met<T extends StoredDocument | undefined>(document: T): T {
    if (!document) return document;
    const { collection, key, claims } = document;
    for (const claim of claims) holders.set(claim, Promise.resolve({ collection, key }));
    return document;
  }

  /** Asks for those of them that are not known, all at once. */
  function readMissing<Wanted, Answer>(
    wanted: readonly Wanted[],
    known: Map<string, Promise<Answer>>,
    {
      nameOf,
      read,
    }: { nameOf: (each: Wanted) => string; read: (missing: Wanted[]) => Promise<readonly Answer[]> },
  ): Promise<readonly Answer[]> {
    const missing = [...new Map(wanted.map((each) => [nameOf(each), each])).entries()].filter(
      ([name]) => !known.has(name),
    );
    if (missing.length > 0) {
      const answers = read(missing.map(([, each]) => each));
      missing.forEach(([name], i) => {
        known.set(
          name,
          answers.then((all) => all[i] as Answer),
        );
      });
    }
    return Promise.all(wanted.map((each) => known.get(nameOf(each)) as Promise<Answer>));
  }

  const find = store.find?.bind(store);
  return {
    get: (keys) =>
      readMissing(keys, documents, {
        nameOf: idOf,
        read: async (missing) => (await store.get(missing)).map(met),
      }),
    resolve: (claims) =>
      readMissing(claims, holders, { nameOf: (claim) => claim, read: (missing) => store.resolve(missing) }),
    ...(find && {
      async find(claim, naming) {
        if (naming) return find(claim, naming);
        const holder = await holders.get(claim);
        const document = holder && (await documents.get(idOf(holder)));
        if (document) return { document, naming: [] };
        const found = await find(claim);
        if (found) note(found.document, Promise.resolve(met(found.document)));
        else holders.set(claim, Promise.resolve(undefined));
        return found;
      },
    }),
    async query(query) {
      const page = await store.query(query);
      for (const document of page.documents) {
        if (!documents.has(idOf(document))) note(document, Promise.resolve(met(document)));
      }
      return page;
    },
    changes: (request) => store.changes(request),
    async commit(commit) {
      documents.clear();
      holders.clear();
      const result = await store.commit(commit);
      if (!result.ok) return result;
      for (const at of commit.remove ?? []) note(at, Promise.resolve(undefined));
      for (const document of commit.put ?? []) note(document, Promise.resolve(met(asRead(document))));
      return result;
    },
    close: () => store.close(),
  };
}

function idOf({ collection, key }: DocumentKey): string {
  return `${collection}\u0000${key}`;
}

function asRead(document: Document): StoredDocument {
  return { claims: [], entries: {}, feeds: [], ...document };
}
