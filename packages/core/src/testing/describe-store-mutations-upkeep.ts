import type { StoreFault } from "../store/port.ts";
import type { Mutation } from "./describe-store-mutations.ts";

const fault: StoreFault = { about: "feed", message: "A feed tells what it should not." };

/** Stores that verify or rebuild themselves, and do it wrongly. */
export const upkeepMutations: readonly Mutation[] = [
  {
    about: "upkeep",
    promise: "tells no fault where there is none",
    breaks: (store) => ({
      ...store,
      verify: async (tell) => {
        tell(fault);
        return { documents: 5, claims: 10, entries: 0, feeds: 0 };
      },
    }),
  },
  {
    about: "upkeep",
    promise: "counts documents",
    breaks: (store) => ({
      ...store,
      verify: async () => ({ documents: 1, claims: 0, entries: 0, feeds: 0 }),
    }),
  },
  {
    about: "upkeep",
    promise: "tells no fault of what others change meanwhile",
    breaks: (store) => ({
      ...store,
      async verify(tell) {
        const before = await store.query({ collection: "people", limit: 1000 });
        for (let turns = 0; turns < 5; turns++) await undefined;
        const now = await store.get(before.documents);
        if (now.some((each, i) => each?.version !== before.documents[i]?.version)) tell(fault);
        return store.verify?.(tell) ?? { documents: 0, claims: 0, entries: 0, feeds: 0 };
      },
    }),
  },
  ...(["verify", "rebuild"] as const).flatMap((call) =>
    (["entries", "feeds"] as const).map(
      (part): Mutation => ({
        about: "upkeep",
        promise: `counts ${part} in ${call}`,
        breaks: (store) => ({
          ...store,
          [call]: async (tell: (fault: StoreFault) => void) => ({
            ...(await store[call]?.(tell)),
            [part]: 7,
          }),
        }),
      }),
    ),
  ),
  {
    about: "upkeep",
    promise: "keeps what is gone when it renews",
    breaks: (store, medium) => ({
      ...store,
      async renew() {
        await store.renew?.();
        for (const { rows } of medium.feeds.values()) {
          for (const [name, row] of rows) if (row.gone) rows.delete(name);
        }
      },
    }),
  },
  {
    about: "upkeep",
    promise: "keeps the order of feeds when it renews",
    breaks: (store, medium) => ({
      ...store,
      async renew() {
        await store.renew?.();
        for (const { log } of medium.feeds.values()) log.reverse();
      },
    }),
  },
  {
    about: "upkeep",
    promise: "keeps claims when it rebuilds",
    breaks: (store, medium) => ({
      ...store,
      async rebuild(tell) {
        const census = await store.rebuild?.(tell);
        medium.claims.delete("claim ana");
        return census ?? { documents: 0, claims: 0, entries: 0, feeds: 0 };
      },
    }),
  },
  {
    about: "upkeep",
    promise: "keeps entries when it rebuilds",
    breaks: (store, medium) => ({
      ...store,
      async rebuild(tell) {
        const census = await store.rebuild?.(tell);
        medium.entries.clear();
        return census ?? { documents: 0, claims: 0, entries: 0, feeds: 0 };
      },
    }),
  },
  {
    about: "upkeep",
    promise: "refuses cursors of before a rebuilding",
    breaks: (store, medium) => ({
      ...store,
      async rebuild(tell) {
        const census = await store.rebuild?.(tell);
        medium.identity -= 1;
        return census ?? { documents: 0, claims: 0, entries: 0, feeds: 0 };
      },
    }),
  },
  {
    about: "upkeep",
    promise: "rebuilds, and not only refuses former cursors",
    breaks: (store) => ({
      ...store,
      async rebuild(tell) {
        await store.renew?.();
        return store.verify?.(tell) ?? { documents: 0, claims: 0, entries: 0, feeds: 0 };
      },
    }),
  },
  ...(["rebuild", "renew"] as const).map(
    (call): Mutation => ({
      about: "upkeep",
      promise: `refuses on every handle the cursors of before a ${call}`,
      breaks: (store, medium) => {
        let known = medium.identity;
        return {
          ...store,
          [call]: async (tell: (fault: StoreFault) => void) => {
            const answer = await store[call]?.(tell);
            known = medium.identity;
            return answer;
          },
          changes(request) {
            const { identity } = medium;
            medium.identity = known;
            // The memory store reads before it answers.
            const page = store.changes(request);
            medium.identity = identity;
            return page;
          },
        };
      },
    }),
  ),
];
