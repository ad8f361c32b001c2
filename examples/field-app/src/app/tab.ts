/** One tab of the app among others in the same browser. */
export interface Tab {
  /** The same after a reload. */
  readonly id: string;
  /** The tabs that are open now, this one among them. */
  living(): Promise<ReadonlySet<string>>;
}

export interface TabOptions {
  /** The tab's own storage, which a reload leaves. */
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  /** Absent where the address is not secure (plain http to another machine): then no tab knows of the others. */
  readonly locks: Pick<LockManager, "request" | "query"> | undefined;
  readonly newId: () => string;
  /** Ends the waiting of a reloaded tab until its former page has let go of its name. Default: after a second. */
  readonly patience?: () => AbortSignal;
}

const inStorage = "fieldroll-tab";
const prefix = "fieldroll-tab ";

const aSecond = () => {
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 1000);
  return ending.signal;
};

/**
 * Names this tab. It holds a lock of its name while it lives, so that others know; a tab that was copied from another has that one's
 * storage, too, and takes a name of its own.
 */
export async function openTab({ storage, locks, newId, patience = aSecond }: TabOptions): Promise<Tab> {
  const former = storage.getItem(inStorage);
  const id = former !== null && (await isHeld(locks, former, patience())) ? former : newId();
  if (id !== former) {
    await isHeld(locks, id, patience());
    storage.setItem(inStorage, id);
  }
  return {
    id,
    async living() {
      const { held = [] } = (await locks?.query()) ?? {};
      const names = held.map(({ name = "" }) => name).filter((name) => name.startsWith(prefix));
      return new Set([id, ...names.map((name) => name.slice(prefix.length))]);
    },
  };
}

/** Holds the lock of a name until the tab ends; `false` where another one has it. */
async function isHeld(locks: TabOptions["locks"], id: string, signal: AbortSignal): Promise<boolean> {
  if (!locks) return true;
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise<never>(() => {});
    };
    locks.request(`${prefix}${id}`, { signal }, hold).catch(() => resolve(false));
  });
}
