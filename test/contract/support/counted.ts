import type { Store } from "@fieldroll/core";

/** A store that tells each of its calls, with how many things it names. */
export function counted(store: Store, note: (call: string) => void): Store {
  return {
    get(keys) {
      note(`get ${keys.length}`);
      return store.get(keys);
    },
    resolve(claims) {
      note(`resolve ${claims.length}`);
      return store.resolve(claims);
    },
    query(query) {
      note("query 1");
      return store.query(query);
    },
    changes(request) {
      note("changes 1");
      return store.changes(request);
    },
    commit(commit) {
      note(`commit ${(commit.put?.length ?? 0) + (commit.remove?.length ?? 0)}`);
      return store.commit(commit);
    },
    close: () => store.close(),
  };
}
