import { answerQuery, comparePositions, holds, positionOf } from "../../store/match.ts";
import type {
  Commit,
  Document,
  DocumentKey,
  Expectation,
  Failure,
  Query,
  QueryPage,
  Store,
  StoredDocument,
} from "../../store/port.ts";
import { checkCommit } from "../../store/rules.ts";

/** A store on which commits are made for show: they are seen through it, and leave it as one. */
export interface StagedStore extends Store {
  /** All that was committed here, as one commit to the store behind: what it found is what it expects. */
  asOne(): Commit;
}

/** A document as it is to be, `undefined` where it was removed, with the version that its first put gave it. */
interface Staged extends DocumentKey {
  readonly document: StoredDocument | undefined;
  readonly version: number;
}

/**
 * Stages commits before a store, so that several decisions can be taken one after the other, each on what those before it
 * brought about, and be committed together. A claim of another staged document is found taken at once. All that is expected of the store
 * behind is found out when the one commit is made, so that no decision tells which claims are taken there.
 */
export function stagedStore(store: Store): StagedStore {
  const staged = new Map<string, Staged>();
  const expect: Expectation[] = [];
  const find = (key: DocumentKey) => staged.get(nameOf(key));
  const view = {
    get: async (keys: readonly DocumentKey[]) => {
      const found = await store.get(keys);
      return keys.map((key, i) => {
        const own = find(key);
        return own ? own.document : found[i];
      });
    },
    resolve: async (claims: readonly string[]) => {
      const holders = await store.resolve(claims);
      return claims.map((claim, i) => holderOf(claim, holders[i], [...staged.values()]));
    },
  };
  return {
    ...view,
    query: async ({ part, ...query }) => {
      const own = [...staged.values()].filter(({ collection }) => collection === query.collection);
      // What is merged is looked at whole.
      if (own.length === 0) return store.query({ ...query, ...(part && { part }) });
      return merged(await store.query(query), query, own);
    },
    changes: (request) => store.changes(request),
    commit: async (commit) => {
      checkCommit(commit);
      const failures = [...unmet(commit, find), ...takenIn(commit, [...staged.values()])];
      if (failures.length > 0) return { ok: false, failures };
      expect.push(...(commit.expect ?? []).filter((one) => one.kind === "free" || !find(one)));
      for (const document of commit.put ?? []) {
        const { version } = find(document) ?? document;
        staged.set(nameOf(document), { ...keyOf(document), version, document: storedDocument(document) });
      }
      for (const key of commit.remove ?? []) {
        staged.set(nameOf(key), { ...keyOf(key), version: 1, document: undefined });
      }
      return { ok: true };
    },
    close: () => store.close(),
    asOne: () => ({
      expect,
      // A document's version counts its puts, and this is one.
      put: [...staged.values()].flatMap(({ document, version }) =>
        document ? [{ ...document, version }] : [],
      ),
      remove: [...staged.values()].flatMap(({ document, collection, key }) =>
        document ? [] : [{ collection, key }],
      ),
    }),
  };
}

function nameOf({ collection, key }: DocumentKey): string {
  return `${collection} ${key}`;
}

function keyOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection, key };
}

function storedDocument(document: Document): StoredDocument {
  const { claims = [], entries = {}, feeds = [] } = document;
  return { ...document, claims, entries, feeds };
}

function holderOf(
  claim: string,
  behind: DocumentKey | undefined,
  staged: readonly Staged[],
): DocumentKey | undefined {
  const own = staged.find(({ document }) => document?.claims.includes(claim));
  if (own) return keyOf(own);
  return behind && staged.some((one) => nameOf(one) === nameOf(behind)) ? undefined : behind;
}

function unmet({ expect = [] }: Commit, find: (key: DocumentKey) => Staged | undefined): Failure[] {
  return expect.flatMap((expectation): Failure[] => {
    const own = expectation.kind === "free" ? undefined : find(expectation);
    if (expectation.kind === "free" || !own) return [];
    const found = own.document?.version;
    if (holds(expectation, found)) return [];
    return [{ kind: "expectation", expectation, ...(found !== undefined && { found }) }];
  });
}

function takenIn({ put = [], remove = [] }: Commit, staged: readonly Staged[]): readonly Failure[] {
  const named = new Set([...put, ...remove].map(nameOf));
  return put
    .flatMap(({ claims = [] }) => claims)
    .flatMap((claim): Failure[] => {
      const holder = holderOf(claim, undefined, staged);
      return holder && !named.has(nameOf(holder)) ? [{ kind: "claim-taken", claim, holder }] : [];
    });
}

/** A page of the store behind with what is staged in its place. It may be longer than was asked for. */
function merged(page: QueryPage, query: Query, own: readonly Staged[]): QueryPage {
  const names = new Set(own.map(nameOf));
  const rest = page.documents.filter((document) => !names.has(nameOf(document)));
  const candidates = [...rest, ...own.flatMap(({ document }) => document ?? [])];
  const { bytes: _, ...whole } = query;
  const { documents } = answerQuery(candidates, { ...whole, limit: candidates.length });
  const { next } = page;
  if (!next) return { documents };
  const { sort } = query;
  const shown = documents.filter(
    (document) => comparePositions(positionOf(document, sort), next, sort?.descending) <= 0,
  );
  return { documents: shown, next };
}
