import type { Store } from "@fieldroll/core";
import { type KeyRule, loadSigningKeys, type PublicKey, type SigningKey } from "./signing-keys.ts";

/** The signing keys of a store as one process knows them. Every call rejects when the store does. */
export interface KeyRing {
  /** The key that signs now. */
  signer(): Promise<SigningKey>;
  /** The key of this id, also one that another process made just now. */
  verifier(id: string): Promise<SigningKey | undefined>;
  published(): Promise<readonly PublicKey[]>;
}

export interface KeyRingOptions {
  readonly store: Store;
  readonly clock: () => Date;
  /** Life of a token in seconds. */
  readonly lifetimeSeconds: number;
  /** Age in days at which a key is replaced. */
  readonly rotateAfterDays: number;
}

/** How long a process signs with what it read: so long may it miss that another made a newer key. */
const rememberedMilliseconds = 5 * 60_000;
const dayMilliseconds = 24 * 60 * 60_000;

/** Makes the ring. Keys are read at the first use. */
export function createKeyRing({ store, clock, lifetimeSeconds, rotateAfterDays }: KeyRingOptions): KeyRing {
  const rule: KeyRule = {
    clock,
    signsFor: rotateAfterDays * dayMilliseconds,
    // At least a day: another process may give longer tokens, and clocks differ.
    tokensLive: Math.max(lifetimeSeconds * 1000, dayMilliseconds) + rememberedMilliseconds,
  };
  let held: { readonly at: number; readonly keys: Promise<readonly SigningKey[]> } | undefined;
  const reload = () => {
    const loading = { at: clock().getTime(), keys: loadSigningKeys(store, rule) };
    held = loading;
    loading.keys.catch(() => {
      if (held === loading) held = undefined;
    });
    return loading.keys;
  };
  const present = () => {
    const age = held ? clock().getTime() - held.at : Number.POSITIVE_INFINITY;
    return held && age >= 0 && age < rememberedMilliseconds ? held.keys : reload();
  };
  const newestOf = (keys: readonly SigningKey[]): SigningKey => {
    const newest = keys.at(-1);
    if (!newest) throw new Error("There is no signing key");
    return newest;
  };
  const find = (keys: readonly SigningKey[], id: string) => keys.find((key) => key.id === id);
  return {
    signer: async () => newestOf(await present()),
    verifier: async (id) => find(await (held?.keys ?? reload()), id) ?? find(await reload(), id),
    published: async () => (await present()).map(({ published }) => published),
  };
}
