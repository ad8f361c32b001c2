import { answered, committed } from "./requests.ts";
import type { IdentityRow } from "./rows.ts";

/** Which database this is, among all that ever had its name. */
export async function readIdentity(transaction: IDBTransaction): Promise<string | undefined> {
  const row = await answered<IdentityRow | undefined>(transaction.objectStore("state").get("identity"));
  return row?.value;
}

/**
 * Gives an identity to a database that has none: a new one, or one that an earlier version of this software wrote. Where that
 * can't be written, for want of room perhaps, it stays without for now: what is in it can be read all the same.
 */
export async function identify(native: IDBDatabase): Promise<string | undefined> {
  try {
    const transaction = native.transaction("state", "readwrite");
    const ended = committed(transaction);
    ended.catch(() => undefined);
    // Another tab may have been first.
    const value = (await readIdentity(transaction)) ?? drawn();
    const row: IdentityRow = { name: "identity", value };
    transaction.objectStore("state").put(row);
    await ended;
    return value;
  } catch {
    return undefined;
  }
}

function drawn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
