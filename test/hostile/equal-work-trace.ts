import type { DocumentKey, Query, Store, StoredDocument } from "@fieldroll/core";

/**
 * A store that notes what it is asked and what it hands over: of each call its kind, how many things it names, and how many documents
 * and bytes of bodies came back. Names and values are left out: they differ between a hidden record and an unknown one.
 */
export function tracing(store: Store, note: (line: string) => void): Store {
  const handed = (documents: readonly (StoredDocument | undefined)[]) => {
    const bodies = documents.flatMap((found) => (found && found.body !== null ? [found.body] : []));
    return `${bodies.length} documents, ${JSON.stringify(bodies).length} bytes`;
  };
  const shape = ({ collection, where = [], limit, part }: Query) => {
    const conditions = where.map(
      (each) => `${each.index}${"anyOf" in each ? ` of ${each.anyOf.length}` : ""}`,
    );
    return `query ${collection} [${conditions.join(", ")}] ${limit} ${part ?? "whole"}`;
  };
  return {
    async get(keys) {
      const found = await store.get(keys);
      note(`get ${collectionsOf(keys)}: ${handed(found)}`);
      return found;
    },
    resolve(claims) {
      note(`resolve ${claims.length}`);
      return store.resolve(claims);
    },
    async query(query) {
      const page = await store.query(query);
      note(`${shape(query)}: ${handed(page.documents)}`);
      return page;
    },
    changes(request) {
      note("changes");
      return store.changes(request);
    },
    commit(commit) {
      note(`commit ${collectionsOf(commit.put ?? [])}, ${commit.remove?.length ?? 0} removed`);
      return store.commit(commit);
    },
    close: () => store.close(),
  };
}

function collectionsOf(keys: readonly DocumentKey[]): string {
  return keys.map(({ collection }) => collection).join(" ");
}
