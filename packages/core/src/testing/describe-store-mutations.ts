import { createMemoryStore } from "../store/memory.ts";
import { createMemoryMedium, type MemoryMedium } from "../store/memory-medium.ts";
import type { Change, ChangesPage, Commit, Query, QueryPage, Store, StoredDocument } from "../store/port.ts";
import { StoreError } from "../store/port.ts";

/** A store that keeps all promises but one. */
export interface Mutation {
  /** The part of the suite that has to notice. */
  readonly about: string;
  readonly promise: string;
  /** Wraps each handle that is opened on the medium. */
  readonly breaks: (store: Store, medium: MemoryMedium) => Store;
}

const nothing: QueryPage = { documents: [] };

/** One broken store for each promise of the port: what shows that the suite can go red. */
export const mutations: readonly Mutation[] = [
  onCommit("expectations: checks expectations", ({ expect: _, ...rest }) => rest),
  ...(["version", "exists", "absent", "free"] as const).map((kind) =>
    onCommit(`expectations: checks those of the kind ${kind}`, (commit) => ({
      ...commit,
      expect: (commit.expect ?? []).filter((expectation) => expectation.kind !== kind),
    })),
  ),
  {
    about: "expectations",
    promise: "lists every failure",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        const result = await store.commit(commit);
        return result.ok ? result : { ok: false, failures: result.failures.slice(0, 1) };
      },
    }),
  },
  {
    about: "expectations",
    promise: "tells the version found",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        const result = await store.commit(commit);
        if (result.ok) return result;
        const failures = result.failures.map((each) =>
          each.kind === "expectation" ? { kind: each.kind, expectation: each.expectation } : each,
        );
        return { ok: false, failures };
      },
    }),
  },
  {
    about: "expectations",
    promise: "checks and writes in one atomic step",
    breaks: (store) => ({
      ...store,
      async commit({ expect: expected, ...writes }) {
        const checked = await store.commit(expected ? { expect: expected } : {});
        return checked.ok ? store.commit(writes) : checked;
      },
    }),
  },
  {
    about: "atomicity",
    promise: "makes no write of a commit that fails",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        const result = await store.commit(commit);
        const [first] = commit.put ?? [];
        if (!result.ok && first) await store.commit({ put: [{ ...first, claims: [] }] });
        return result;
      },
    }),
  },
  {
    about: "atomicity",
    promise: "tells no change of a commit that fails",
    breaks: (store, medium) => ({
      ...store,
      async commit(commit) {
        const result = await store.commit(commit);
        if (!result.ok) for (const feed of medium.feeds.values()) feed.rows.clear();
        return result;
      },
    }),
  },
  {
    about: "isolation",
    promise: "makes all writes of a commit at one moment",
    breaks: (store) => ({
      ...store,
      async commit({ put = [], ...rest }) {
        const result = await store.commit({ ...rest, put: put.slice(0, 1) });
        return result.ok && put.length > 1 ? store.commit({ put: put.slice(1) }) : result;
      },
    }),
  },
  onCommit("sizes: makes every write", ({ put = [], ...rest }) => ({ ...rest, put: put.slice(0, 500) })),
  onCommit("reads: removes", ({ remove: _, ...rest }) => rest),
  onCommit("claims: keeps claims", ({ put = [], ...rest }) => ({
    ...rest,
    put: put.map((each) => ({ ...each, claims: [] })),
  })),
  {
    about: "claims",
    promise: "frees claims that are no longer made",
    breaks: (store) => {
      const ever = new Map<string, { collection: string; key: string }>();
      return {
        ...store,
        async commit(commit) {
          const result = await store.commit(commit);
          for (const { claims = [], collection, key } of result.ok ? (commit.put ?? []) : []) {
            for (const claim of claims) ever.set(claim, { collection, key });
          }
          return result;
        },
        resolve: async (claims) => {
          const found = await store.resolve(claims);
          return found.map((holder, i) => holder ?? ever.get(claims[i] ?? ""));
        },
      };
    },
  },
  {
    about: "reads",
    promise: "answers place by place",
    breaks: (store) => ({ ...store, get: async (keys) => (await store.get(keys)).filter((each) => each) }),
  },
  {
    about: "reads",
    promise: "hands documents over by value",
    breaks: (store) => ({
      ...store,
      commit: async (commit) => {
        await undefined;
        return store.commit(commit);
      },
    }),
  },
  onCommit("unicode: keeps composed and decomposed letters apart", (commit) => ({
    ...commit,
    put: (commit.put ?? []).map((each) => ({ ...each, key: each.key.normalize("NFC") })),
  })),
  {
    about: "conditions",
    promise: "keeps later values of an index",
    breaks: (store) => ({
      ...store,
      commit: (commit) =>
        store.commit({
          ...commit,
          put: (commit.put ?? []).map((each) => ({
            ...each,
            entries: Object.fromEntries(
              Object.entries(each.entries ?? {}).map(([index, all]) => [index, all.slice(0, 1)]),
            ),
          })),
        }),
    }),
  },
  onQuery("order: sorts", ({ sort: _, ...query }) => query),
  onQuery("order: sorts in the direction asked", ({ sort, ...query }) => ({
    ...query,
    ...(sort ? { sort: { index: sort.index } } : {}),
  })),
  onQuery("conditions: keeps to every condition", (query) => ({
    ...query,
    where: query.where?.slice(0, 1) ?? [],
  })),
  onQuery("paging: goes on after a position", ({ after: _, ...query }) => query),
  onConditions("conditions: has both ends of a range", (each) =>
    "below" in each ? { index: each.index, below: each.below } : each,
  ),
  onConditions("conditions: leaves the upper end of a range out", (each) =>
    "below" in each ? { ...each, below: `${each.below}\u0001` } : each,
  ),
  onConditions("unicode: finds prefixes longer than any bound", (each) =>
    "prefix" in each ? { index: each.index, from: each.prefix, below: `${each.prefix}\uffff` } : each,
  ),
  onConditions("conditions: finds substrings anywhere", (each) =>
    "contains" in each ? { index: each.index, prefix: each.contains } : each,
  ),
  onPage("order: has documents without a value at all", (page, { sort }) => ({
    ...page,
    documents: page.documents.filter((each) => !sort || each.entries[sort.index]?.length),
  })),
  onPage("conditions: visits each document once", (page) => ({
    ...page,
    documents: page.documents.flatMap((each) => (each.entries.member?.length === 2 ? [each, each] : [each])),
  })),
  onPage("paging: says where to go on", ({ documents }) => ({ documents })),
  onPage("order: ends where there is no more", (page) => {
    const last = page.documents.at(-1);
    return { next: { value: null, key: last?.key ?? "" }, ...page };
  }),
  onPage("unicode: orders by code unit rather than code point", (page) => ({
    ...page,
    documents: [...page.documents].sort((a, b) => byCodePoint(a, b)),
  })),
  onChanges("feeds: tells removals and departures", (page) => ({
    ...page,
    changes: page.changes.filter((change) => change.kind === "put"),
  })),
  onChanges("feeds: tells in order", (page) => ({ ...page, changes: [...page.changes].reverse() })),
  onChanges("feeds: says whether there is more", (page) => ({ ...page, more: false })),
  {
    about: "feeds",
    promise: "tells a document's newest change only",
    breaks: (store) => {
      const told: Change[] = [];
      return {
        ...store,
        async commit(commit) {
          const result = await store.commit(commit);
          for (const each of result.ok ? (commit.put ?? []) : []) {
            if (each.feeds?.includes("all")) told.push({ kind: "put", document: each as StoredDocument });
          }
          return result;
        },
        changes: async (request) => {
          const page = await store.changes(request);
          return request.feed === "all" && !request.cursor ? { ...page, changes: told } : page;
        },
      };
    },
  },
  {
    about: "feeds",
    promise: "goes on after an empty page",
    breaks: (store) => ({
      ...store,
      changes: async (request) => {
        const page = await store.changes(request);
        if (page.changes.length > 0) return page;
        return { ...page, next: (await store.changes({ feed: "nobody's", limit: 1 })).next };
      },
    }),
  },
  {
    about: "feeds",
    promise: "moves a changed document forward in its feeds",
    breaks: (store) => {
      const first = new Map<string, number>();
      return {
        ...store,
        changes: async (request) => {
          const page = await store.changes(request);
          const place = (change: Change) => {
            const key = change.kind === "put" ? change.document.key : change.key;
            if (!first.has(key)) first.set(key, first.size);
            return first.get(key) ?? 0;
          };
          return { ...page, changes: [...page.changes].sort((a, b) => place(a) - place(b)) };
        },
      };
    },
  },
  {
    about: "feeds",
    promise: "refuses foreign cursors",
    breaks: (store) => ({
      ...store,
      changes: ({ cursor, ...rest }) => store.changes(cursor?.startsWith("m") ? { ...rest, cursor } : rest),
    }),
  },
  {
    about: "forms",
    promise: "refuses what is not of the form that types say",
    breaks: (store) => ({
      ...store,
      changes: ({ cursor, ...rest }) =>
        store.changes({ ...rest, ...(typeof cursor === "string" ? { cursor } : {}) }),
    }),
  },
  {
    about: "reads",
    promise: "refuses bad requests",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        try {
          return await store.commit(commit);
        } catch (error) {
          if (error instanceof StoreError && error.code === "bad-request") return { ok: true };
          throw error;
        }
      },
    }),
  },
  {
    about: "durability",
    promise: "keeps documents over reopening",
    breaks: (_, medium) => forgetful(medium),
  },
  {
    about: "handles",
    promise: "shows each handle what others committed",
    breaks: (store) => {
      let known: Promise<QueryPage> | undefined;
      return {
        ...store,
        query: (query) => {
          known ??= store.query(query);
          return known;
        },
      };
    },
  },
  {
    about: "closing",
    promise: "rejects after close",
    breaks: (store) => ({ ...store, close: async () => {} }),
  },
  {
    about: "closing",
    promise: "waits for running calls in close",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        const copy = structuredClone(commit);
        for (let turns = 0; turns < 5; turns++) await Promise.resolve();
        return store.commit(copy);
      },
    }),
  },
  {
    about: "conditions",
    promise: "answers queries at all",
    breaks: (store) => ({ ...store, query: async () => nothing }),
  },
];

/** Splits `about: promise`. */
function named(title: string): { about: string; promise: string } {
  const [about = "", promise = ""] = title.split(": ");
  return { about, promise };
}

function onCommit(title: string, change: (commit: Commit) => Commit): Mutation {
  return {
    ...named(title),
    breaks: (store) => ({ ...store, commit: (commit) => store.commit(change(commit)) }),
  };
}

function onQuery(title: string, change: (query: Query) => Query): Mutation {
  return { ...named(title), breaks: (store) => ({ ...store, query: (query) => store.query(change(query)) }) };
}

function onConditions(
  title: string,
  change: (each: NonNullable<Query["where"]>[number]) => object,
): Mutation {
  return onQuery(title, (query) => ({
    ...query,
    where: (query.where ?? []).map(change) as NonNullable<Query["where"]>,
  }));
}

function onPage(title: string, change: (page: QueryPage, query: Query) => QueryPage): Mutation {
  const breaks = (store: Store): Store => ({
    ...store,
    query: async (query) => change(await store.query(query), query),
  });
  return { ...named(title), breaks };
}

function onChanges(title: string, change: (page: ChangesPage) => ChangesPage): Mutation {
  const breaks = (store: Store): Store => ({
    ...store,
    changes: async (request) => change(await store.changes(request)),
  });
  return { ...named(title), breaks };
}

function byCodePoint(a: StoredDocument, b: StoredDocument): number {
  const [left, right] = [[...a.key], [...b.key]].map((signs) =>
    signs.map((sign) => sign.codePointAt(0) ?? 0),
  );
  for (const [i, code] of (left ?? []).entries()) {
    if (code !== right?.[i]) return code - (right?.[i] ?? -1);
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

/** Opens on nothing when the medium was opened before. */
function forgetful(medium: MemoryMedium): Store {
  const known = opened.has(medium);
  opened.add(medium);
  return createMemoryStore({ medium: known ? createMemoryMedium() : medium });
}

const opened = new WeakSet<MemoryMedium>();
