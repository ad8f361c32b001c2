import type { Commit, CommitResult, Store } from "../store/port.ts";
import { joinedKey } from "../store/rules.ts";
import type { Mutation } from "./describe-store-mutations.ts";

interface Asked {
  readonly commit: Commit;
  resolve(result: CommitResult): void;
  reject(error: unknown): void;
}

/** Stores that write the commits of one moment together, and let it be noticed. */
export const togetherMutations: readonly Mutation[] = [
  byMoment("refuses those alone whose expectations fail", async (store, asked) => {
    let failed: CommitResult | undefined;
    for (const { commit, resolve, reject } of asked) {
      try {
        const result = failed ?? (await store.commit(commit));
        if (!result.ok) failed = result;
        resolve(result);
      } catch (error) {
        reject(error);
      }
    }
  }),
  byMoment("refuses bad requests alone", async (store, asked) => {
    let fault: unknown;
    for (const { commit, resolve, reject } of asked) {
      try {
        if (fault !== undefined) throw fault;
        resolve(await store.commit(commit));
      } catch (error) {
        fault = error;
        reject(error);
      }
    }
  }),
  byMoment("tells each change behind one that failed", async (store, asked) => {
    let hole = false;
    for (const { commit, resolve, reject } of asked) {
      const put = (commit.put ?? []).map((each) => (hole ? { ...each, feeds: [] } : each));
      await store.commit({ ...commit, put }).then((result) => {
        hole = !result.ok;
        resolve(result);
      }, reject);
    }
  }),
  byMoment("checks claims against those of the same moment", async (store, asked) => {
    const claimed = new Set<string>();
    for (const { commit, resolve, reject } of asked) {
      const put = (commit.put ?? []).map((each) => ({
        ...each,
        claims: (each.claims ?? []).filter((claim) => !claimed.has(claim)),
      }));
      for (const each of put) for (const claim of each.claims) claimed.add(claim);
      await store.commit({ ...commit, put }).then(resolve, reject);
    }
  }),
  byMoment(
    "judges each by what those before it left, also where they name other things",
    async (store, asked) => {
      const commits = asked.map(({ commit }) => commit);
      const names = commits.flatMap(namesOf);
      const all = {
        expect: commits.flatMap(({ expect = [] }) => expect),
        put: commits.flatMap(({ put = [] }) => put),
        remove: commits.flatMap(({ remove = [] }) => remove),
      };
      const whole =
        new Set(names).size === names.length ? await store.commit(all).catch(() => undefined) : undefined;
      for (const { commit, resolve, reject } of asked) {
        if (whole?.ok) resolve(whole);
        else await store.commit(commit).then(resolve, reject);
      }
    },
  ),
];

/** The documents and claims that a commit names, each once. */
function namesOf({ expect = [], put = [], remove = [] }: Commit): string[] {
  const claims = put.flatMap((each) => each.claims ?? []);
  const expected = expect.map((each) => (each.kind === "free" ? each.claim : joinedKey(each)));
  return [...new Set([...put.map(joinedKey), ...remove.map(joinedKey), ...claims, ...expected])];
}

function byMoment(
  promise: string,
  settle: (store: Store, asked: readonly Asked[]) => Promise<void>,
): Mutation {
  return {
    about: "together",
    promise,
    breaks: (store) => {
      let waiting: Asked[] = [];
      const run = () => {
        const asked = waiting;
        waiting = [];
        return settle(store, asked);
      };
      return {
        ...store,
        commit: (commit) =>
          new Promise((resolve, reject) => {
            if (waiting.length === 0) queueMicrotask(run);
            waiting.push({ commit, resolve, reject });
          }),
      };
    },
  };
}
