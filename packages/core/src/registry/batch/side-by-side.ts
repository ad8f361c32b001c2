import { isJsonObject } from "../../json.ts";
import { canonicalReference, type RecordAddress } from "../../resource/reference.ts";
import type { Store } from "../../store/port.ts";
import { identifiersOf } from "../record/stored.ts";
import type { EntryRequest } from "./entry-request.ts";

/** An entry about to be performed. */
export interface Asked {
  /** `undefined` where it was not understood, or names another entry by a placeholder. */
  readonly request: EntryRequest | undefined;
  /** The idempotency key that it has itself. */
  readonly key?: string | undefined;
}

/**
 * How many of these, from the first on, may be performed at once and come to the same as one after the other: at least one. Those
 * are that make a person, or change one but not its identifiers, as long as none names whom another one names, by whichever
 * identifier, or has its key. Whatever else is asked for looks at more than it names: an answer about a person tells of groups.
 */
export async function countAtOnce(store: Store, asked: readonly Asked[]): Promise<number> {
  const names = asked.map(({ request }) => request && personsIn(request));
  const words = names.map((claims, i) => {
    const key = asked[i]?.key;
    return claims && (key === undefined ? claims : [...claims, key]);
  });
  const named = names.slice(0, untilShared(words)).map((claims = []) => claims);
  if (named.length < 2) return 1;
  const holders = await store.resolve(named.flat());
  let next = 0;
  return untilShared(named.map((claims) => claims.flatMap(() => holders[next++]?.key ?? [])));
}

/** How many lists there are, from the first on, until one is none or has something of one before it. */
function untilShared(lists: readonly (readonly string[] | undefined)[]): number {
  const met = new Set<string>();
  const end = lists.findIndex((list) => {
    if (!list || list.some((item) => met.has(item))) return true;
    for (const item of list) met.add(item);
    return false;
  });
  return end === -1 ? lists.length : end;
}

/** The claims of the one person whom an entry is about, as it names them; `undefined` where it may be about more. */
function personsIn(request: EntryRequest): readonly string[] | undefined {
  const claims = (identifiers: readonly RecordAddress[]) =>
    identifiers.map((identifier) => canonicalReference("Individual", identifier));
  if (!("body" in request) || request.type !== "Individual" || !isJsonObject(request.body)) return undefined;
  if (request.does === "create") return claims(identifiersOf(request.body));
  const renames = request.does !== "patch" || Object.hasOwn(request.body, "identifier");
  return renames ? undefined : claims([request.address]);
}
