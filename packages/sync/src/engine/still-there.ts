import { type JsonObject, printRaw, referenceTo } from "@fieldroll/core";
import { noParts } from "../device/commit.ts";
import { applyPage, type PageOptions } from "../device/page.ts";
import { keyItems } from "../device/plain-keys.ts";
import type { Unmet } from "../device/sweep.ts";
import { loadWork, toldKey } from "../device/work.ts";
import { namesOf, versionOf } from "../model/content.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { type Stop, stopOf } from "./stop.ts";

/** `restarting`: older versions count too. */
type How = Pick<PageOptions, "at" | "restarting" | "epoch">;

/**
 * Asks for a record that no listing or feed told of. One that is there is brought up to date; that another one answers to its name
 * is as good as a refusal. Neither says that it is gone, where it has another name by now: its key tells.
 *
 * @returns whether it is there, or what kept it from being asked
 */
export async function stillThere(context: SyncContext, unmet: Unmet, how: How): Promise<boolean | Stop> {
  const { api, store, newId } = context;
  const { type, key, record } = unmet;
  const [work] = await loadWork(store, [{ type, key }]);
  const reference = referenceTo(type, record);
  const reply = await api.read(reference);
  if (reply.kind !== "value" && !isAbsent(reply)) return unasked(reply);
  if (reply.kind !== "value" || isAnother({ type, base: record, recordKey: work && toldKey(work) }, reply))
    return thereByKey(context, unmet, how);
  const { items } = await keyItems(store, [itemOf({ ...unmet, key: "" }, reference, reply.value)], newId);
  if (items[0]?.key !== key) return false;
  await applyPage(store, items, { ...fromNoFeed, ...how });
  return true;
}

/**
 * Asks for a person or a group by the key that the server gave it: a name that is nobody's, or another one's, may have been
 * corrected. Not for a record that the device has forgotten.
 *
 * @returns as {@link stillThere}, and `true` for one that is there, and can't be found
 */
export async function thereByKey(
  { api, store }: SyncContext,
  { type, key, record }: Unmet,
  how: How,
): Promise<boolean | Stop> {
  const [work] = await loadWork(store, [{ type, key }]);
  const told = work && toldKey(work);
  if (told === undefined || record.name === undefined || (await api.isPlain())) return false;
  const known = await api.namesakes({ type, key: told, name: record.name });
  // Whoever may not ask so goes by the name.
  if (known.kind === "problem") return false;
  if (known.kind !== "value") return unasked(known);
  for (const reference of new Set([...namesOf(type, record).map(printRaw), ...known.value])) {
    const reply = await api.read(reference);
    if (reply.kind === "value" && reply.recordKey === told) {
      const item = itemOf({ type, key }, reference, reply.value);
      await applyPage(store, [item], { ...fromNoFeed, ...how });
      return true;
    }
    if (reply.kind !== "value" && reply.kind !== "problem") return unasked(reply);
  }
  return type === "Individual";
}

function itemOf({ type, key }: Pick<Unmet, "type" | "key">, reference: string, record: JsonObject) {
  const found = { type, key, reference, versionId: String(versionOf(record)), record };
  const photo = record.photo !== undefined;
  return { ...found, photo, change: "upsert" as const, reason: "", keyless: true };
}

/** What an answer without a record says: only that there is none says that it is gone. */
function unasked(reply: Exclude<Checked<unknown>, { kind: "value" }>): boolean | Stop {
  if (reply.kind === "problem") return !isAbsent(reply);
  return stopOf(reply) ?? { why: "unavailable", detail: reply.detail, retryAfter: null };
}

/** What is asked for by itself is no page of a feed. */
export const fromNoFeed = { feed: "", tracked: false, first: false, with: noParts };

/** Whether the answer is that this caller has no such record; not that the caller lacks a right of its own. */
export function isAbsent(reply: Checked<unknown>): reply is { readonly kind: "problem" } & WireProblem {
  return reply.kind === "problem" && absent.includes(reply.problem) && reply.missingScope === null;
}

const absent: readonly string[] = ["not-found", "gone", "authorization"];
