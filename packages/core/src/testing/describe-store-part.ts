import type { Document, DocumentKey, Expectation, Store, StoredDocument } from "../store/port.ts";

/** A part of a store that looks like a whole one: all its names carry a prefix. */
export function inPart(store: Store, part: string): Store {
  const add = <T extends DocumentKey>(at: T): T => ({ ...at, collection: part + at.collection });
  const cut = <T extends DocumentKey>(at: T): T => ({ ...at, collection: at.collection.slice(part.length) });
  const addAll = (names: readonly string[] = []) => names.map((name) => part + name);
  const cutAll = (names: readonly string[]) => names.map((name) => name.slice(part.length));
  const addTo = (given: Document) => ({
    ...add(given),
    claims: addAll(given.claims),
    feeds: addAll(given.feeds),
  });
  const cutFrom = <T extends { claims: readonly string[]; feeds: readonly string[] } & DocumentKey>(
    stored: T,
  ): T => ({
    ...cut(stored),
    claims: cutAll(stored.claims),
    feeds: cutAll(stored.feeds),
  });
  const ask = (each: Expectation) =>
    each.kind === "free" ? { ...each, claim: part + each.claim } : add(each);
  const askedFor = (each: Expectation) =>
    each.kind === "free" ? { ...each, claim: each.claim.slice(part.length) } : cut(each);
  return {
    get: async (at) => (await store.get(at.map(add))).map((found) => found && cutFrom(found)),
    resolve: async (names) => (await store.resolve(addAll(names))).map((found) => found && cut(found)),
    async query(asked) {
      const page = await store.query({ ...asked, collection: part + asked.collection });
      return { ...page, documents: page.documents.map(cutFrom) };
    },
    async changes(request) {
      const page = await store.changes({ ...request, feed: part + request.feed });
      const changes = page.changes.map((change) =>
        change.kind === "put" ? { ...change, document: cutFrom(change.document) } : cut(change),
      );
      return { ...page, changes };
    },
    async commit({ expect: expected = [], put = [], remove = [], ...rest }) {
      const whole = { ...rest, expect: expected.map(ask), put: put.map(addTo), remove: remove.map(add) };
      const result = await store.commit(whole);
      if (result.ok) return result;
      const failures = result.failures.map((failure) =>
        failure.kind === "claim-taken"
          ? { ...failure, claim: failure.claim.slice(part.length), holder: cut(failure.holder) }
          : { ...failure, expectation: askedFor(failure.expectation) },
      );
      return { ok: false, failures };
    },
    ...extras(store, { part, cutFrom }),
    close: () => store.close(),
  };
}

interface Naming {
  readonly part: string;
  cutFrom(stored: StoredDocument): StoredDocument;
}

/** The calls that a store may do without, where it has them. */
function extras({ find, count }: Store, { part, cutFrom }: Naming): Pick<Store, "find" | "count"> {
  return {
    ...(count && { count: async (asked) => count({ ...asked, collection: part + asked.collection }) }),
    ...(find && {
      async find(claim, naming) {
        const found = await find(part + claim, naming && { ...naming, collection: part + naming.collection });
        return found && { document: cutFrom(found.document), naming: found.naming.map(cutFrom) };
      },
    }),
  };
}
