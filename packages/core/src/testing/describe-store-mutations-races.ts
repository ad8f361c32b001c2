import type { MemoryMedium } from "../store/memory-medium.ts";
import type { Commit, DocumentKey, Expectation, Store } from "../store/port.ts";
import { StoreError } from "../store/port.ts";
import { joinedKey } from "../store/rules.ts";
import type { Mutation } from "./describe-store-mutations.ts";

/** Lets others go on, as a store does that waits for a network. */
async function pause(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await undefined;
}

/** Something that all handles on one medium share. */
function shared<T>(make: () => T): (medium: MemoryMedium) => T {
  const known = new WeakMap<MemoryMedium, { readonly value: T }>();
  return (medium) => {
    const found = known.get(medium) ?? { value: make() };
    known.set(medium, found);
    return found.value;
  };
}

/** Checks what a filter picks in a step of its own, before the one that writes. */
function checkedBefore(early: (expectation: Expectation, commit: Commit) => boolean): Mutation["breaks"] {
  return (store) => ({
    ...store,
    async commit(commit) {
      const { expect = [], ...writes } = commit;
      const checked = await store.commit({ expect: expect.filter((each) => early(each, commit)) });
      if (!checked.ok) return checked;
      await pause();
      return store.commit({ ...writes, expect: expect.filter((each) => !early(each, commit)) });
    },
  });
}

function names({ put = [], remove = [] }: Commit, key: DocumentKey): boolean {
  return [...put, ...remove].some((each) => joinedKey(each) === joinedKey(key));
}

const skewMutations = (["version", "exists", "absent", "free"] as const).map(
  (kind): Mutation => ({
    about: "skew",
    promise: `keeps others from what is only expected, of the kind ${kind}`,
    breaks: checkedBefore(
      (each, commit) => each.kind === kind && (each.kind === "free" || !names(commit, each)),
    ),
  }),
);

/** The feeds that a document is known to have left, as seen by who read it before it wrote. */
const departures = shared(() => new Set<string>());

/** Commits that are under way, each as the order in which it names documents. */
const underWay = shared(() => new Set<readonly string[]>());

function crosses(one: readonly string[], other: readonly string[]): boolean {
  const places = one.map((key) => other.indexOf(key)).filter((place) => place >= 0);
  return places.some((place, i) => i > 0 && place < (places[i - 1] ?? 0));
}

/** Reads so far, of all handles. */
const reads = shared(() => ({ count: 0 }));

const lostRaces: readonly Mutation[] = [
  {
    about: "isolation",
    promise: "lets commits get on while others read without a pause",
    breaks: (store, medium) => ({
      ...store,
      get(keys) {
        reads(medium).count += 1;
        return store.get(keys);
      },
      query(query) {
        reads(medium).count += 1;
        return store.query(query);
      },
      async commit(commit) {
        for (let before = -1; before !== reads(medium).count; ) {
          before = reads(medium).count;
          for (let turns = 0; turns < 100; turns++) await undefined;
        }
        return store.commit(commit);
      },
    }),
  },
  {
    about: "races",
    promise: "decides on the version that it replaces",
    breaks: checkedBefore(() => true),
  },
  {
    about: "races",
    promise: "takes away what the document left that it replaces, and not one that it read before",
    breaks: (store, medium) => ({
      ...store,
      async commit(commit) {
        const before = await store.get(commit.put ?? []);
        await pause();
        const result = await store.commit(commit);
        for (const each of before) for (const feed of each?.feeds ?? []) departures(medium).add(feed);
        return result;
      },
      async changes(request) {
        const page = await store.changes(request);
        const known = departures(medium).has(request.feed);
        return { ...page, changes: page.changes.filter((each) => each.kind === "put" || known) };
      },
    }),
  },
  {
    about: "races",
    promise: "makes commits that wait for each other",
    breaks: (store, medium) => ({
      ...store,
      async commit(commit) {
        const order = (commit.put ?? []).map(joinedKey);
        const others = underWay(medium);
        if ([...others].some((other) => crosses(order, other))) {
          throw new StoreError("unavailable", "A deadlock was found.");
        }
        others.add(order);
        await pause();
        return store.commit(commit).finally(() => others.delete(order));
      },
    }),
  },
  {
    about: "races",
    promise: "asks for a claim's holder in the step that writes",
    breaks: (store) => ({
      ...store,
      async commit(commit) {
        const wanted = (commit.put ?? []).flatMap(({ claims = [] }) => claims);
        const before = await store.resolve(wanted);
        const allowed = before.every((holder) => !holder || names(commit, holder));
        await pause();
        const result = await store.commit(commit);
        if (result.ok || !allowed) return result;
        // Who was free to make the claim before takes it from whomever has it now.
        const holders = (await store.resolve(wanted)).filter((holder) => holder !== undefined);
        return store.commit({ ...commit, remove: [...(commit.remove ?? []), ...holders] });
      },
    }),
  },
];

const tornReads: readonly Mutation[] = [
  torn("get", (store) => ({
    async get(keys) {
      const found = [];
      for (const key of keys) found.push((await store.get([key]))[0]);
      return found;
    },
  })),
  torn("resolve", (store) => ({
    async resolve(claims) {
      const found = [];
      for (const claim of claims) found.push((await store.resolve([claim]))[0]);
      return found;
    },
  })),
  torn("query", (store) => ({
    async query(query) {
      const page = await store.query(query);
      const documents = [];
      for (const each of page.documents) documents.push((await store.get([each]))[0] ?? each);
      return { ...page, documents };
    },
  })),
  torn("what a query finds, and reads later", (store) => ({
    async query(query) {
      const page = await store.query(query);
      await pause();
      const documents = await store.get(page.documents);
      return { ...page, documents: documents.filter((each) => each !== undefined) };
    },
  })),
  torn("changes", (store) => ({
    async changes(request) {
      const page = await store.changes(request);
      const changes = [];
      for (const each of page.changes) {
        const [document] = each.kind === "put" ? await store.get([each.document]) : [];
        changes.push(document ? { kind: "put" as const, document } : each);
      }
      return { ...page, changes };
    },
  })),
];

function torn(door: string, reads: (store: Store) => Partial<Store>): Mutation {
  return {
    about: "isolation",
    promise: `shows one moment in ${door}`,
    breaks: (store) => ({ ...store, ...reads(store) }),
  };
}

/** Documents whose commit has its place in feeds and can't be seen yet. */
const unseen = shared(() => new Set<string>());

const feedMutations: readonly Mutation[] = [
  {
    about: "followers",
    promise: "lets no reader pass a commit that is still open",
    breaks: (store, medium) => ({
      ...store,
      async commit(commit) {
        const result = await store.commit(commit);
        const keys = (commit.put ?? []).map(joinedKey);
        for (const key of keys) unseen(medium).add(key);
        await pause();
        for (const key of keys) unseen(medium).delete(key);
        return result;
      },
      async changes(request) {
        const page = await store.changes(request);
        const hidden = unseen(medium);
        const seen = page.changes.filter(
          (each) => each.kind === "gone" || !hidden.has(joinedKey(each.document)),
        );
        return { ...page, changes: seen };
      },
    }),
  },
  {
    about: "followers",
    promise: "tells nothing twice",
    breaks: (store) => ({
      ...store,
      changes: ({ cursor, ...rest }) => {
        const back = cursor?.replace(/\d+$/, (digits) => `${Math.max(0, Number(digits) - 1)}`);
        return store.changes(back === undefined ? rest : { ...rest, cursor: back });
      },
    }),
  },
  {
    about: "followers",
    promise: "tells the next commit at once",
    breaks: (store) => {
      const waiting = new Set<string>();
      return {
        ...store,
        async changes(request) {
          const page = await store.changes(request);
          const place = `${request.feed} ${request.cursor}`;
          if (page.changes.length === 0 || waiting.delete(place)) return page;
          waiting.add(place);
          const { next } = await store.changes({ feed: "nobody's", limit: 1 });
          return { changes: [], next: request.cursor ?? next, more: false };
        },
      };
    },
  },
  {
    about: "feeds",
    promise: "refuses the cursors that another store gave",
    breaks: (store, medium) => ({
      ...store,
      changes({ cursor, ...rest }) {
        const taken = cursor?.replace(/^m.*\./, `m${medium.name}.`);
        return store.changes(taken === undefined ? rest : { ...rest, cursor: taken });
      },
    }),
  },
  {
    about: "followers",
    promise: "takes the cursors that another handle gave",
    breaks: (store) => {
      const own = new Set<string | undefined>([undefined]);
      return {
        ...store,
        async changes(request) {
          if (!own.has(request.cursor)) throw new StoreError("bad-cursor", "Not a cursor of this handle.");
          const page = await store.changes(request);
          own.add(page.next);
          return page;
        },
      };
    },
  },
  {
    about: "followers",
    promise: "keeps feeds apart, however many there are",
    breaks: (store) => ({
      ...store,
      commit: ({ put = [], ...rest }) =>
        store.commit({
          ...rest,
          put: put.map((each) => ({
            ...each,
            feeds: [...new Set((each.feeds ?? []).map((feed) => feed.slice(0, 7)))],
          })),
        }),
      changes: (request) => store.changes({ ...request, feed: request.feed.slice(0, 7) }),
    }),
  },
  {
    about: "followers",
    promise: "tells also what comes back",
    breaks: (store) => {
      const left = new Set<string>();
      return {
        ...store,
        async changes(request) {
          const page = await store.changes(request);
          const changes = page.changes.filter((each) => {
            const key = each.kind === "put" ? each.document.key : each.key;
            const place = `${request.feed} ${key}`;
            if (each.kind === "gone") left.add(place);
            return each.kind === "gone" || !left.has(place);
          });
          return { ...page, changes };
        },
      };
    },
  },
];

/** Stores that answer rightly to one caller at a time, and wrongly to many. */
export const raceMutations: readonly Mutation[] = [
  ...skewMutations,
  ...lostRaces,
  ...tornReads,
  ...feedMutations,
];
