import type { Commit, Document, Store } from "../store/port.ts";
import { StoreError } from "../store/port.ts";
import type { Mutation } from "./describe-store-mutations.ts";

const onPut = (about: string, promise: string, change: (document: Document) => Document): Mutation => ({
  about,
  promise,
  breaks: (store) => ({
    ...store,
    commit: async (commit) => store.commit({ ...commit, put: (commit.put ?? []).map(change) }),
  }),
});

const onEntries = (change: (values: readonly string[]) => readonly string[]) => (document: Document) => ({
  ...document,
  entries: Object.fromEntries(
    Object.entries(document.entries ?? {}).map(([name, values]) => [name, change(values)]),
  ),
});

const cut = (text: string) => text.replaceAll("\ufeff", "") || text;

const onCalls = (about: string, promise: string, change: (store: Store) => Partial<Store>): Mutation => ({
  about,
  promise,
  breaks: (store) => ({ ...store, ...change(store) }),
});

/** Asks for values that are alike to a medium as well. */
const alike = (promise: string, others: (value: string) => readonly string[]) =>
  onCalls("unicode", promise, (store) => ({
    query: ({ where = [], ...query }) =>
      store.query({
        ...query,
        where: where.map((each) =>
          "anyOf" in each
            ? { ...each, anyOf: each.anyOf.flatMap((value) => [value, ...others(value)]) }
            : each,
        ),
      }),
  }));

function copied<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

const shown = (request: unknown) =>
  JSON.stringify(request, (_, each) => (typeof each === "bigint" ? `${each}` : each));

/** Stores to which texts are alike that are not, or that have no room for what is long or great. */
export const oddMutations: readonly Mutation[] = [
  onPut("reads", "tells a collection and a key apart, whatever they are joined by", (each) => {
    const [collection = "", ...key] = `${each.collection}:${each.key}`.split(":");
    return { ...each, collection, key: key.join(":") };
  }),
  onPut("unicode", "keeps spaces at the end of keys", (each) => ({
    ...each,
    key: each.key.trimEnd() || each.key,
  })),
  onPut("unicode", "tells collections apart by case", (each) => ({
    ...each,
    collection: each.collection.toLowerCase(),
  })),
  onPut("unicode", "keeps U+FEFF in claims", (each) => ({ ...each, claims: (each.claims ?? []).map(cut) })),
  onPut(
    "unicode",
    "keeps U+FEFF in values",
    onEntries((values) => values.map(cut)),
  ),
  onPut("unicode", "keeps U+FEFF in feeds", (each) => ({ ...each, feeds: (each.feeds ?? []).map(cut) })),
  onPut("unicode", "keeps half a surrogate pair in a body", (each) => ({
    ...each,
    body: JSON.parse(JSON.stringify(each.body), (_, value) =>
      typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value,
    ),
  })),
  onPut("reads", "keeps versions of more than 32 bits", (each) => ({
    ...each,
    version: each.version % 2 ** 32 || 1,
  })),
  onPut("reads", "keeps versions that a float32 has not", (each) => ({
    ...each,
    version: Math.min(Math.fround(each.version), Number.MAX_SAFE_INTEGER - 1),
  })),
  onPut("reads", "has indexes named __proto__", ({ entries = {}, ...each }) => ({
    ...each,
    entries: Object.fromEntries(Object.entries(entries).filter(([name]) => name !== "__proto__")),
  })),
  ...(["claims", "feeds"] as const).map((part) =>
    onPut("reads", `has ${part} that every object has as names`, (each) => ({
      ...each,
      [part]: (each[part] ?? []).filter((name) => !(name in {})),
    })),
  ),
  onCalls("reads", "finds values that every object has as names", (store) => ({
    async query(query) {
      const lost = query.where?.some((each) => "anyOf" in each && each.anyOf.some((value) => value in {}));
      const page = await store.query(query);
      return lost ? { documents: [] } : page;
    },
  })),
  ...(["collection", "key"] as const).map((part) =>
    onCalls("reads", `reads a ${part} that every object has as a name`, (store) => ({
      get: async (keys) =>
        (await store.get(keys)).map((each) => (each && each[part] in {} ? undefined : each)),
    })),
  ),
  onPut("reads", "keeps numbers of 17 digits in a body", (each) => ({
    ...each,
    body: JSON.parse(JSON.stringify(each.body ?? null), (_, value) =>
      typeof value === "number" ? Number(value.toPrecision(15)) : value,
    ),
  })),
  onPut("reads", "has members of bodies named __proto__", (each) => ({
    ...each,
    body: JSON.parse(JSON.stringify(each.body ?? null), (name, value) =>
      name === "__proto__" ? undefined : value,
    ),
  })),
  onPut("reads", "gives claims back as often as they were declared", (each) => ({
    ...each,
    claims: [...new Set(each.claims)],
  })),
  onPut("reads", "gives feeds back as often as they were declared", (each) => ({
    ...each,
    feeds: [...new Set(each.feeds)],
  })),
  onPut(
    "sizes",
    "keeps all values of an index",
    onEntries((values) => values.slice(0, 100)),
  ),
  onCalls("sizes", "reads every key", (store) => ({
    get: async (keys) => [
      ...(await store.get(keys.slice(0, 1000))),
      ...keys.slice(1000).map(() => undefined),
    ],
  })),
  onCalls("sizes", "resolves every claim", (store) => ({
    resolve: async (claims) => [
      ...(await store.resolve(claims.slice(0, 1000))),
      ...claims.slice(1000).map(() => undefined),
    ],
  })),
  onCalls("sizes", "asks for every value", (store) => ({
    query: ({ where = [], ...query }) =>
      store.query({
        ...query,
        where: where.map((each) => ("anyOf" in each ? { ...each, anyOf: each.anyOf.slice(0, 1000) } : each)),
      }),
  })),
  onCalls("conditions", "asks for a value from the empty one on", (store) => ({
    query: ({ where = [], ...query }) =>
      store.query({
        ...query,
        where: where.filter((each) => !("from" in each && each.from === "" && each.below === undefined)),
      }),
  })),
  onCalls("feeds", "tells a put of what is there already", (store) => ({
    async commit(commit: Commit) {
      const there = await store.get(commit.put ?? []);
      const put = (commit.put ?? []).filter(({ version }, nth) => there[nth]?.version !== version);
      return store.commit({ ...commit, put });
    },
  })),
  ...(["get", "resolve", "query", "changes"] as const).map((call) =>
    onCalls("reads", `takes the request of ${call} by value`, (store) => ({
      [call]: async (request: never) => {
        await undefined;
        return store[call](request);
      },
    })),
  ),
  ...(["put", "expect", "remove"] as const).map((part) =>
    onCalls("reads", `takes the ${part} of a commit by value`, (store) => ({
      async commit(commit) {
        const { [part]: late, ...rest } = commit;
        const copy = copied(rest);
        await undefined;
        return store.commit({ ...copy, ...(late && { [part]: late }) });
      },
    })),
  ),
  ...(["commit", "query", "resolve"] as const).map((call) =>
    onCalls("reads", `quotes no value when it refuses a ${call}`, (store) => ({
      [call]: (request: never) =>
        (store[call](request) as Promise<unknown>).catch((error) => {
          throw new StoreError(error.code, `${error.message} ${shown(request)}`);
        }),
    })),
  ),
  onCalls("claims", "tells U+FFFD and half a surrogate pair apart", (store) => ({
    resolve: (claims) => store.resolve(claims.map((claim) => claim.replaceAll(/\p{Surrogate}/gu, "\ufffd"))),
  })),
  ...(["expect", "remove"] as const).map((part) =>
    onCalls("forms", `takes what the ${part} of a commit has beside what the port names`, (store) => ({
      commit: async (commit) =>
        store.commit({ ...commit, ...(commit[part] && { [part]: structuredClone(commit[part]) }) }),
    })),
  ),
  alike("tells values apart by a space at the end", (value) => [value.trimEnd(), `${value} `]),
  alike("tells values apart by composition", (value) => [value.normalize("NFC"), value.normalize("NFD")]),
  onCalls("order", "takes what looks like a number for a text", (store) => ({
    async query(query) {
      const page = await store.query(query);
      const { index = "", descending = false } = query.sort ?? {};
      const number = ({ entries }: Document) => Number(entries?.[index]?.[0] ?? "none");
      if (page.next || query.after || page.documents.some((each) => Number.isNaN(number(each)))) return page;
      const documents = page.documents.toSorted((a, b) => (number(a) - number(b)) * (descending ? -1 : 1));
      return { documents };
    },
  })),
];
