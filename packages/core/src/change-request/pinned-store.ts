import { recordKey } from "../registry/record/document.ts";
import { typeIn } from "../resource/reference.ts";
import type { Store } from "../store/port.ts";

/**
 * A store in which some references mean given records, whoever has those identifiers by now: so that what is named by reference
 * can't become another record between one step and the next.
 *
 * @param pins leads from raw references to keys; it may still be added to
 */
export function pinnedStore(store: Store, pins: ReadonlyMap<string, string>): Store {
  return {
    get: (keys) => store.get(keys),
    resolve: async (claims) => {
      const holders = await store.resolve(claims);
      return claims.map((claim, i) => {
        const key = pins.get(claim);
        return key === undefined ? holders[i] : recordKey(typeIn(claim), key);
      });
    },
    query: (query) => store.query(query),
    changes: (request) => store.changes(request),
    commit: (commit) => store.commit(commit),
    close: () => store.close(),
  };
}
