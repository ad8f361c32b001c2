import type { Store } from "../store/port.ts";
import type { Settings } from "./settings.ts";

/** Where a registry keeps what is about itself. */
export const systemCollection = "system";

const collection = systemCollection;

const epochKey = { collection, key: "epoch" };

/** Made at the first question; whoever restores a backup has it forgotten, so that there is another. */
export function epochOf(settings: Settings): Promise<string> {
  return madeOnce(settings, epochKey.key, settings.newId);
}

/**
 * Begins another history of the data, such as when they were restored from a backup: the next question for the epoch makes a new
 * one, and whoever follows a feed starts over.
 */
export async function forgetEpoch(store: Store): Promise<void> {
  await store.commit({ remove: [epochKey] });
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
