import type { Commit, Store } from "@fieldroll/core";

/** A store that dies at its n-th commit from `arm` on: before it, or right after it was made durable. */
export function mortal(
  store: Store,
  crash: { readonly at: number; readonly side: "before" | "after" },
  died: () => void,
): Store {
  let commits = 0;
  const forever = new Promise<never>(() => undefined);
  let dead = false;
  const alive = <T>(work: () => Promise<T>): Promise<T> => (dead ? forever : work());
  return {
    get: (keys) => alive(() => store.get(keys)),
    resolve: (claims) => alive(() => store.resolve(claims)),
    query: (query) => alive(() => store.query(query)),
    changes: (request) => alive(() => store.changes(request)),
    close: () => store.close(),
    commit: (commit: Commit) =>
      alive(async () => {
        commits++;
        if (commits !== crash.at) return store.commit(commit);
        if (crash.side === "after") await store.commit(commit);
        dead = true;
        died();
        return forever;
      }),
  };
}
