import { isJsonObject, type KeptKind, type Store } from "@fieldroll/core";

const collection = "v1-id";
/** Ids of version 1 were 32-bit integers of a database. */
const largest = 2 ** 31 - 1;

/** The kinds of record that version 1 knew by integer. */
export type Kind = "registrant" | "program" | "cycle" | "program_membership" | "entitlement";

/** One record, as version 2 knows it. */
export interface Named {
  readonly kind: Kind;
  readonly extId: string;
}

/** Integers for records whose `ext_id` is a UUID. What was given once stays for ever. */
export interface IntegerIds {
  /** The integers of records, in their order; one that has none gets one. */
  of(records: readonly Named[]): Promise<readonly number[]>;
  /** The `ext_id` behind an integer. */
  extIdOf(kind: Kind, id: number): Promise<string | undefined>;
}

/**
 * Keeps integers as documents of the store, each a claim, so that every process gives the same. They are drawn at first sight
 * and at random: a counter would tell everybody how many records there are, and make all writers wait for each other.
 */
export function createIntegerIds(store: Store, draw: () => number = randomId): IntegerIds {
  const known = async (records: readonly Named[]) =>
    (await store.get(records.map(placeOf))).map((document) =>
      isJsonObject(document?.body) ? Number(document.body.id) : undefined,
    );
  const give = async (named: Named): Promise<void> => {
    for (;;) {
      const id = draw();
      const place = placeOf(named);
      const result = await store.commit({
        expect: [{ kind: "absent", ...place }],
        put: [documentOf(named, id)],
      });
      // A taken integer is drawn anew; a record that another process was faster with has its integer now.
      if (result.ok || result.failures.some((failure) => failure.kind === "expectation")) return;
    }
  };
  const giveAll = async (missing: readonly Named[]): Promise<void> => {
    const drawn = new Map(missing.map((named) => [draw(), named]));
    const put = [...drawn].map(([id, named]) => documentOf(named, id));
    const expect = put.map(({ collection: of, key }) => ({ kind: "absent", collection: of, key }) as const);
    if (drawn.size === missing.length && (await store.commit({ expect, put })).ok) return;
    for (const named of missing) await give(named);
  };
  return {
    async of(records) {
      const found = await known(records);
      const missing = records.filter((_, i) => found[i] === undefined);
      if (missing.length === 0) return found.map(Number);
      await giveAll([...new Map(missing.map((named) => [placeOf(named).key, named])).values()]);
      return (await known(records)).map(Number);
    },
    async extIdOf(kind, id) {
      const [place] = await store.resolve([claimOf(kind, id)]);
      return place?.key.slice(kind.length + 1);
    },
  };
}

function placeOf({ kind, extId }: Named) {
  return { collection, key: `${kind}:${extId}` };
}

function documentOf(named: Named, id: number) {
  const body = { id, ext_id: named.extId };
  return { ...placeOf(named), version: 1, body, claims: [claimOf(named.kind, id)] };
}

/** The documents of integers, for who looks after the store. */
export const integerIdKind: KeptKind = {
  collection,
  declared: ({ key, body }) => {
    const { id, ext_id } = body as { readonly id: number; readonly ext_id: string };
    const kind = key.slice(0, -ext_id.length - 1) as Kind;
    return { claims: documentOf({ kind, extId: ext_id }, id).claims, entries: {}, feeds: [] };
  },
};

function claimOf(kind: Kind, id: number): string {
  return `v1:${kind}:${id}`;
}

function randomId(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (drawn % largest) + 1;
}
