import type { Settings } from "./settings.ts";

const collection = "system";

/** Made at the first question; whoever restores a backup writes a new one. */
export function epochOf(settings: Settings): Promise<string> {
  return madeOnce(settings, "epoch", settings.newId);
}

/** A random text of four ids, about 240 random bits: see `Registry.secret`. */
export function secretOf(settings: Settings, name: string): Promise<string> {
  const { newId } = settings;
  return madeOnce(settings, `secret:${name}`, () => [newId(), newId(), newId(), newId()].join(""));
}

/** Of several processes that ask at once one makes it; the others find it. */
async function madeOnce({ store }: Settings, key: string, make: () => string): Promise<string> {
  const at = { collection, key };
  const [found] = await store.get([at]);
  if (found) return String(found.body);
  const body = make();
  const result = await store.commit({
    expect: [{ kind: "absent", ...at }],
    put: [{ ...at, version: 1, body }],
  });
  if (result.ok) return body;
  const [other] = await store.get([at]);
  return String(other?.body);
}
