import { StoreError } from "@fieldroll/core";
import { Dexie } from "dexie";
import { bounded } from "./bounded.ts";
import { identify, readIdentity } from "./identity.ts";
import { refusal, refusalAtFirst } from "./refusal.ts";
import { firstLayout, layout, schemaVersion } from "./rows.ts";
import { upgrade } from "./upgrade.ts";

/** What opening needs of its host. */
export interface Host {
  readonly indexedDB: IDBFactory;
  readonly IDBKeyRange: typeof IDBKeyRange;
  /** In milliseconds. */
  readonly patience: number;
}

/** One native connection, with what Dexie knows about it. */
export interface Handle {
  readonly native: IDBDatabase;
  /** Which database it is; unknown where there was no room to say so. */
  readonly identity: string | undefined;
  /** Whether the browser has closed it by force, and aborted what was running. */
  isLost(): boolean;
  close(): void;
}

/** What has become of a database that a handle knew: there is none of its name any more, or another one. */
export type Loss = "deleted" | "replaced";

/**
 * Opens a database, brings its layout up to date, and makes way for whoever wants to upgrade or delete it.
 *
 * @param before the handle that had it open before: what the caller knows of that database is not true of another one
 */
export async function openHandle(
  name: string,
  host: Host,
  { onLoss, before }: { onLoss: (loss: Loss) => void; before?: Handle | undefined },
): Promise<Handle> {
  const silent = `The database "${name}" does not open: the browser does not answer. Load the app anew.`;
  const found = await bounded(() => probe(name, host.indexedDB), {
    patience: host.patience,
    late: () => new StoreError("unavailable", silent),
  }).catch((error: unknown) => {
    throw refusalAtFirst(error, name);
  });
  refuseForeign(name, found);
  const gone = (loss: Loss) => {
    onLoss(loss);
    return lostElsewhere(name, loss);
  };
  if (before && !found) throw gone("deleted");
  const dexie = await openDexie(name, host, silent);
  const native = dexie.backendDB();
  let lost = false;
  native.onclose = () => {
    lost = true;
  };
  // Another handle wants to upgrade or delete: it can't while this one is open. The next call opens a new one.
  native.onversionchange = (event) => {
    if (event.newVersion === null) onLoss("deleted");
    dexie.close();
  };
  const identifying = async () => {
    const identity = await readIdentity(native.transaction("state"));
    // One that had no room for an identity has got it from another tab since.
    if (before?.identity !== undefined && identity !== before.identity) throw gone("replaced");
    return identity ?? identify(native);
  };
  const late = () => new StoreError("unavailable", silent);
  try {
    const identity = await bounded(identifying, { patience: host.patience, late });
    return { native, identity, isLost: () => lost, close: () => dexie.close() };
  } catch (error) {
    dexie.close();
    throw refusal(error, name);
  }
}

async function openDexie(name: string, { patience, ...factory }: Host, silent: string): Promise<Dexie> {
  const dexie = new Dexie(name, { ...factory, autoOpen: false });
  let blocked = false;
  dexie.on("blocked", () => {
    blocked = true;
  });
  const open = (goesOn: () => void) => {
    dexie.version(1).stores(firstLayout);
    dexie
      .version(schemaVersion)
      .stores({ ...layout, documents: null })
      .upgrade(({ idbtrans }) => upgrade({ transaction: idbtrans, ranges: factory.IDBKeyRange }, goesOn));
    return dexie.open();
  };
  const late = () => {
    dexie.close();
    const advice = `The database "${name}" can't be upgraded while another tab has an earlier version of this software open. Close the other tabs.`;
    return blocked ? new StoreError("blocked", advice) : new StoreError("unavailable", silent);
  };
  try {
    await bounded(open, { patience, late });
    return dexie;
  } catch (error) {
    throw refusal(error, name);
  }
}

/** What a database of this name looks like. */
interface Probed {
  readonly version: number;
  readonly stores: readonly string[];
}

/**
 * Looks at a database without changing it. Dexie itself would open a newer version as it is, and add its object
 * stores to a database that belongs to someone else.
 */
function probe(name: string, indexedDB: IDBFactory): Promise<Probed | undefined> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    let absent = false;
    request.onupgradeneeded = () => {
      absent = true;
      request.transaction?.abort();
    };
    request.onerror = (event) => {
      event.preventDefault();
      if (absent) resolve(undefined);
      else reject(request.error);
    };
    request.onsuccess = () => {
      const { version, objectStoreNames } = request.result;
      request.result.close();
      resolve({ version, stores: [...objectStoreNames] });
    };
  });
}

// Dexie counts in tens: its version 1 is the native version 10.
const nativeVersion = schemaVersion * 10;

function refuseForeign(name: string, found: Probed | undefined): void {
  if (!found) return;
  if (found.version > nativeVersion) {
    const message = `The database "${name}" was written by a newer version of this software. Load the newest version of the app.`;
    throw new StoreError("newer-schema", message);
  }
  const ours = [firstLayout, layout].some((each) =>
    Object.keys(each).every((store) => found.stores.includes(store)),
  );
  if (!ours) {
    const message = `The database "${name}" belongs to something else and was left as it is. Choose another name.`;
    throw new StoreError("corrupt", message);
  }
}

export function lostElsewhere(name: string, loss: Loss): StoreError {
  const messages: Readonly<Record<Loss, string>> = {
    deleted: `The database "${name}" was deleted elsewhere. Open the store again: it will be empty.`,
    replaced: `The database "${name}" was deleted elsewhere, and there is another one of its name. Open the store again: it holds only what the other one does.`,
  };
  return new StoreError("closed", messages[loss]);
}
