import { type JsonObject, referenceTo } from "@fieldroll/core";
import { noParts } from "../device/commit.ts";
import { applyPage, type PageOptions } from "../device/page.ts";
import { keyItems } from "../device/plain-keys.ts";
import type { Unmet } from "../device/sweep.ts";
import { loadWork, toldKey } from "../device/work.ts";
import { versionOf } from "../model/content.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { type Stop, stopOf } from "./stop.ts";

/**
 * Asks for a record that no listing or feed told of. One that is there is brought up to date; that another one answers to its name
 * is as good as a refusal.
 *
 * @param how `restarting`: older versions count too
 * @returns whether it is there, or what kept it from being asked
 */
export async function stillThere(
  { api, store, newId }: SyncContext,
  { type, key, record }: Unmet,
  how: Pick<PageOptions, "at" | "restarting">,
): Promise<boolean | Stop> {
  const [work] = await loadWork(store, [{ type, key }]);
  const reference = referenceTo(type, record);
  const reply = await api.read(reference);
  if (reply.kind === "problem") return !isAbsent(reply);
  if (reply.kind !== "value") {
    return stopOf(reply) ?? { why: "unavailable", detail: reply.detail, retryAfter: null };
  }
  if (isAnother({ type, base: record, recordKey: work && toldKey(work) }, reply)) return false;
  const found = { type, key: "", reference, versionId: String(versionOf(reply.value)), record: reply.value };
  const photo = reply.value.photo !== undefined;
  const item = { ...found, photo, change: "upsert" as const, reason: "", keyless: true };
  const { items } = await keyItems(store, [item], newId);
  if (items[0]?.key !== key) return false;
  await applyPage(store, items, { ...fromNoFeed, ...how });
  return true;
}

/** What is asked for by itself is no page of a feed. */
export const fromNoFeed = { feed: "", tracked: false, first: false, with: noParts };

/** Whether the answer is that this caller has no such record; not that the caller lacks a right of its own. */
export function isAbsent(reply: Checked<JsonObject>): reply is { readonly kind: "problem" } & WireProblem {
  return reply.kind === "problem" && absent.includes(reply.problem) && reply.missingScope === null;
}

const absent: readonly string[] = ["not-found", "gone", "authorization"];
