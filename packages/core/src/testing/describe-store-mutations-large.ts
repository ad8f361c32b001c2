import type { MemoryMedium } from "../store/memory-medium.ts";
import type { Position, Store } from "../store/port.ts";
import { StoreError } from "../store/port.ts";
import type { Mutation } from "./describe-store-mutations.ts";

const large = 1_000_000;

const some = 100;

/** Does with every hundred what is asked of all, and lets others go on in between. */
async function inPieces<T, R>(all: readonly T[], call: (piece: readonly T[]) => Promise<readonly R[]>) {
  const answers: R[] = [];
  for (let from = 0; from < all.length; from += some) {
    answers.push(...(await call(all.slice(from, from + some))));
    for (let turn = 0; turn < 30; turn++) await undefined;
  }
  return answers;
}

/** Whether a cursor is of so many changes ago. */
function isOld(cursor: string, { position }: MemoryMedium): boolean {
  return Number(cursor.split("-")[1]) < position - 1500;
}

/** Stores to which a hundred is much. */
const hundreds: readonly Mutation[] = [
  sized("writes hundreds of documents at one moment", (store) => ({
    async commit(commit) {
      const { put = [], remove = [] } = commit;
      if (put.length <= some) return store.commit(commit);
      const results = await inPieces(put, async (piece) => [
        await store.commit({ ...commit, put: piece, remove: [] }),
      ]);
      const failed = results.find(({ ok }) => !ok);
      return failed ?? store.commit({ remove });
    },
  })),
  sized("reads hundreds of keys at one moment", (store) => ({
    get: (keys) => inPieces(keys, store.get),
  })),
  sized("resolves hundreds of claims at one moment", (store) => ({
    resolve: (claims) => inPieces(claims, store.resolve),
  })),
  sized("finds hundreds of documents at one moment", (store) => ({
    async query(query) {
      const page = await store.query(query);
      const documents = await inPieces(page.documents, store.get);
      return { ...page, documents: documents.flatMap((each) => each ?? []) };
    },
  })),
  sized("checks expectations beyond the 100th", (store) => ({
    commit: (commit) => store.commit({ ...commit, expect: (commit.expect ?? []).slice(0, some) }),
  })),
  sized("keeps to more than 3 conditions", (store) => ({
    query: ({ where = [], ...query }) => store.query({ ...query, where: where.slice(0, 3) }),
  })),
  sized("tells feeds apart by what follows 4,000 characters", (store) => ({
    commit: ({ put = [], ...rest }) =>
      store.commit({
        ...rest,
        put: put.map(({ feeds = [], ...each }) => ({
          ...each,
          feeds: feeds.map((feed) => feed.slice(0, 4000)),
        })),
      }),
    changes: (request) => store.changes({ ...request, feed: request.feed.slice(0, 4000) }),
  })),
  sized("takes cursors of any age", (store, medium) => ({
    async changes(request) {
      if (!isOld(request.cursor ?? "", medium)) return store.changes(request);
      throw new StoreError("bad-cursor", "The cursor is too old.");
    },
  })),
  sized("tells departures of any age", (store, medium) => ({
    async commit(commit) {
      const result = await store.commit(commit);
      for (const { rows } of medium.feeds.values()) {
        for (const [name, row] of rows)
          if (row.gone && row.position < medium.position - 1500) rows.delete(name);
      }
      return result;
    },
  })),
];

function sized(promise: string, change: (store: Store, medium: MemoryMedium) => Partial<Store>): Mutation {
  return {
    about: "sizes",
    promise,
    breaks: (store, medium) => ({ ...store, ...change(store, medium) }),
  };
}

/** Stores that are right while there is little, while nothing changes, and for texts that one expects. */
export const largeMutations: readonly Mutation[] = [
  ...hundreds,
  {
    about: "sizes",
    promise: "keeps large bodies whole",
    breaks: (store) => ({
      ...store,
      async query(query) {
        const { documents, ...rest } = await store.query(query);
        const cut = documents.map((each) =>
          JSON.stringify(each.body).length > large ? { ...each, body: null } : each,
        );
        return { ...rest, documents: cut };
      },
    }),
  },
  {
    about: "sizes",
    promise: "tells a feed to its end, however long it is",
    breaks: (store) => ({
      ...store,
      async changes(request) {
        const page = await store.changes(request);
        const [, place = "0"] = page.next.split("-");
        return Number(place) >= 1500 ? { ...page, more: false } : page;
      },
    }),
  },
  {
    about: "sizes",
    promise: "looks at every document, however many there are",
    breaks: (store) => ({
      ...store,
      async query(query) {
        const page = await store.query(query);
        return query.where ? { ...page, documents: page.documents.slice(0, 400) } : page;
      },
    }),
  },
  {
    about: "paging",
    promise: "ends a page of a query by bytes",
    breaks: (store) => ({ ...store, query: ({ bytes: _, ...query }) => store.query(query) }),
  },
  {
    about: "paging",
    promise: "goes on after a page that bytes ended",
    breaks: (store) => ({
      ...store,
      async query(query) {
        const whole = await store.query({ ...query, bytes: large });
        const { documents } = await store.query(query);
        return { ...whole, documents };
      },
    }),
  },
  {
    about: "paging",
    promise: "ends a page of a feed by bytes",
    breaks: (store) => ({ ...store, changes: ({ bytes: _, ...request }) => store.changes(request) }),
  },
  {
    about: "paging",
    promise: "goes on from a place and not from a number of documents",
    breaks: (store) => ({
      ...store,
      async query({ after, ...query }) {
        const skip = after ? (skipped.get(after.key) ?? 0) : 0;
        const { documents } = await store.query({ ...query, limit: skip + query.limit + 1 });
        const page = documents.slice(skip, skip + query.limit);
        const last = page.at(-1);
        if (last === undefined || documents.length <= skip + query.limit) return { documents: page };
        skipped.set(last.key, skip + query.limit);
        return { documents: page, next: { value: null, key: last.key } };
      },
    }),
  },
  {
    about: "paging",
    promise: "goes on after a document that is gone",
    breaks: (store) => ({
      ...store,
      async query(query) {
        const [there] = query.after ? await namedBy(store, query.collection, query.after) : [true];
        return there ? store.query(query) : { documents: [] };
      },
    }),
  },
  ...(["\u0000", "\ud83d"] as const).map(
    (text): Mutation => ({
      about: "unicode",
      promise: `answers who asks for ${JSON.stringify(text)}`,
      breaks: (store) => ({
        ...store,
        async query(query) {
          const odd = JSON.stringify(query.where ?? []).includes(JSON.stringify(text).slice(1, -1));
          if (odd) throw new StoreError("unavailable", "The medium does not take this text.");
          return store.query(query);
        },
      }),
    }),
  ),
  {
    about: "durability",
    promise: "goes on telling what was removed when it is opened again",
    breaks: (store, medium) => ({
      ...store,
      async close() {
        for (const feed of medium.feeds.values()) {
          for (const [name, row] of feed.rows) if (row.gone) feed.rows.delete(name);
        }
        await store.close();
      },
    }),
  },
  {
    about: "reads",
    promise: "finds a claim's holder, and all that name it",
    breaks: (store) => ({
      ...store,
      async find(claim) {
        const [holder] = await store.resolve([claim]);
        const [document] = holder ? await store.get([holder]) : [];
        return document && { document, naming: [] };
      },
    }),
  },
  {
    about: "reads",
    promise: "finds also those that name a claim's holder by a later value",
    breaks: (store) => ({
      ...store,
      async find(claim, naming) {
        const { collection, index } = naming ?? { collection: "none", index: "" };
        const [holder] = await store.resolve([claim]);
        const [document] = holder ? await store.get([holder]) : [];
        if (!document || !naming) return document && { document, naming: [] };
        const where = [{ index, anyOf: [document.key] }];
        const { documents } = await store.query({ collection, where, limit: 1000 });
        return { document, naming: documents.filter(({ entries }) => entries[index]?.[0] === document.key) };
      },
    }),
  },
  {
    about: "model",
    promise: "counts what a query finds",
    breaks: (store) => ({
      ...store,
      count: async ({ collection }) => (await store.query({ collection, limit: 1000 })).documents.length,
    }),
  },
];

/** How many documents came before a place, by the key that names it. */
const skipped = new Map<string, number>();

async function namedBy(store: Store, collection: string, { key }: Position) {
  return key === "" ? [true] : store.get([{ collection, key }]);
}
