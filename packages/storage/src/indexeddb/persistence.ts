/** Whether the browser keeps an origin's data for good, and how much room there is, in bytes. */
export interface Persistence {
  /** `false`: the browser may delete everything when the device runs short of room. */
  readonly persisted: boolean;
  readonly usage: number;
  readonly quota: number;
}

/**
 * Asks the browser to keep this origin's data until the person deletes them, and says what room there is. Call it in a page,
 * for a worker can't ask: after signing in, when a browser that asks the person can expect an answer. Browsers without storage
 * management answer `false` and zeros. See the Storage Standard, sections 4.2 and 6.
 *
 * @param storage Default: the host's.
 */
export async function askForPersistence(
  storage: Partial<StorageManager> | undefined = globalThis.navigator?.storage,
): Promise<Persistence> {
  const persisted = (await storage?.persisted?.()) || (await storage?.persist?.().catch(() => false));
  const { usage = 0, quota = 0 } = (await storage?.estimate?.().catch(() => undefined)) ?? {};
  return { persisted: persisted ?? false, usage, quota };
}
