import type { Store } from "../store/port.ts";
import { StoreError } from "../store/port.ts";
import type { Mutation } from "./describe-store-mutations.ts";

/** Longer than any other call of a memory store takes. */
async function pause(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await undefined;
}

/** A store with the calls that the memory store does without. */
function whole(store: Store): Required<Pick<Store, "get" | "resolve" | "query" | "find" | "count">> {
  return {
    ...store,
    async find(claim, naming) {
      const [holder] = await store.resolve([claim]);
      const [document] = holder ? await store.get([holder]) : [];
      if (!document || !naming) return document && { document, naming: [] };
      const where = [{ index: naming.index, anyOf: [document.key] }];
      const { documents } = await store.query({ collection: naming.collection, where, limit: 1000 });
      return { document, naming: documents };
    },
    count: async (query) => (await store.query({ ...query, limit: 1000 })).documents.length,
  };
}

const forgetful = (["get", "resolve", "query", "find", "count"] as const).map(
  (call): Mutation => ({
    about: "handles",
    promise: `answers ${call} anew when another handle has committed`,
    breaks: (store) => {
      const known = new Map<string, unknown>();
      return {
        ...store,
        async commit(commit) {
          known.clear();
          return store.commit(commit);
        },
        [call]: async (...asked: readonly never[]) => {
          const name = JSON.stringify(asked);
          const ask = whole(store)[call] as (...asked: readonly never[]) => Promise<unknown>;
          if (!known.has(name)) known.set(name, await ask(...asked));
          return known.get(name);
        },
      };
    },
  }),
);

const calls = ["get", "resolve", "query", "changes", "commit", "verify", "rebuild", "renew"] as const;

/** Stores that take another handle for nobody, or that part before they have done. */
export const handleMutations: readonly Mutation[] = [
  ...forgetful,
  ...calls.map(
    (call): Mutation => ({
      about: "closing",
      promise: `answers a running ${call} when it is closed`,
      breaks: (store) => {
        let isOpen = true;
        return {
          ...store,
          [call]: async (...asked: readonly never[]) => {
            const answer = await (store[call] as (...asked: readonly never[]) => Promise<unknown>)(...asked);
            await pause();
            if (isOpen) return answer;
            throw new StoreError("closed", "This store was closed meanwhile.");
          },
          async close() {
            isOpen = false;
            await store.close();
          },
        };
      },
    }),
  ),
  {
    about: "closing",
    promise: "has nothing go on when it has closed",
    breaks: (store) => ({
      ...store,
      async query(query) {
        const page = await store.query(query);
        await pause();
        return page;
      },
    }),
  },
  {
    about: "closing",
    promise: "has a second close wait for the first",
    breaks: (store) => {
      let isOpen = true;
      return {
        ...store,
        async close() {
          if (!isOpen) return;
          isOpen = false;
          await pause();
          await store.close();
        },
      };
    },
  },
];
