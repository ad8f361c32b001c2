import { identifiersOf, type JsonObject, printReference, referenceTo } from "@fieldroll/core";
import { askedItem, type PulledItem } from "../device/locate.ts";
import { applyPage, fromNoFeed, type PageOptions } from "../device/page.ts";
import { keyItems, withoutArchived } from "../device/plain-keys.ts";
import type { Unmet } from "../device/sweep.ts";
import { loadWork, toldKey } from "../device/work.ts";
import { mayBeSame, namesOf, sameRecord } from "../model/content.ts";
import type { Api } from "../transport/api.ts";
import { type Checked, isAbsent } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { isAnother } from "./duplicate.ts";
import { askedWho } from "./names-there.ts";
import { type Stop, stopOf } from "./stop.ts";

/** `restarting`: older versions count too. */
type How = Pick<PageOptions, "at" | "restarting" | "epoch">;

/** Why a question about one record has no answer: a sentence for people. Where that lasts, it goes for gone. */
export interface Refused {
  readonly refused: string;
}

/** Whether a record is there, or what kept it from being asked: everything, or this question. */
export type There = boolean | Stop | Refused;

/**
 * Asks for a record that no listing or feed told of. One that is there is brought up to date; that another one answers to its name
 * is as good as a refusal. Neither says that it is gone, where it has another name by now: its key tells.
 *
 * @returns whether it is there, or what kept it from being asked
 */
export async function stillThere(context: SyncContext, unmet: Unmet, how: How): Promise<There> {
  const { api, store, newId } = context;
  const { type, key, record } = unmet;
  const [work] = await loadWork(store, [{ type, key }]);
  const reference = referenceTo(type, record);
  const reply = await api.read(reference);
  const told = work && toldKey(work);
  // Whatever else is said of this one alone, nothing says that it is gone.
  if (reply.kind !== "value" && !isAbsent(reply)) return stopOf(reply) ?? true;
  if (reply.kind !== "value" || isAnother({ type, base: record, recordKey: told }, reply))
    return thereByKey(context, unmet, how);
  const item = askedItem(unmet, reference, reply.value);
  // By its key it is known whatever here has its name: another one that was corrected to it does, until that is decided.
  const isKnown = told !== undefined && reply.recordKey === told;
  const found = isKnown ? withoutArchived(item) : (await keyItems(store, [item], newId)).items[0];
  if (found?.key !== key) return false;
  return applied(context, found, how);
}

/** Brings a record up to date that was asked for by itself, once it is known who is in it. */
async function applied(
  { api, store }: Pick<SyncContext, "api" | "store">,
  item: PulledItem,
  how: How,
): Promise<There> {
  const { type, key, record, reference } = item;
  const [work] = await loadWork(store, [{ type, key }]);
  const asked =
    work && record && (await askedWho({ api, store, at: how.at }, work, { theirs: record, reference }));
  if (asked?.kind === "failed") return { refused: asked.detail };
  await applyPage(store, [item], { ...fromNoFeed, ...how, told: asked?.told ?? [] });
  return true;
}

/**
 * Asks for a person or a group by the key that the server gave it: a name that is nobody's, or another one's, may have been
 * corrected. Not for a record that the device has forgotten.
 *
 * @returns `true` also for one that is there, and can't be found
 */
export async function thereByKey(
  { api, store }: Pick<SyncContext, "api" | "store">,
  { type, key, record }: Unmet,
  how: How,
): Promise<There> {
  const [work] = await loadWork(store, [{ type, key }]);
  const told = work && toldKey(work);
  if (told === undefined || record.name === undefined || (await api.isPlain())) return false;
  const known = await api.namesakes({ type, key: told, name: record.name });
  if (isAbsent(known) || mayNot(known)) return false;
  if (known.kind !== "value") return unasked(known);
  const references = new Set([
    ...identifiersOf(record).map((identifier) => printReference(type, identifier)),
    ...known.value,
  ]);
  // Whose answer has no key, for consents hide it with `meta`, is known by a name and as far as it says who that is.
  const isShown = (value: JsonObject) => sameRecord(record, value) && mayBeSame(type, record, value);
  const found = await firstOf(api, references, { told, isShown });
  // A person is there, called so or not: their key was known.
  const isKnown = type === "Individual";
  if (!found) return isKnown;
  if (found.kind !== "value") return stopOf(found) ?? (isKnown || unasked(found));
  const item = { ...askedItem({ type, key }, found.reference, found.value), askedBy: told };
  // A server that was restored may have lost what was accepted of one that is archived: it is to be given that again.
  return applied({ api, store }, how.restarting ? item : withoutArchived(item), how);
}

/**
 * Whether the server does not say whether it has a record: whom consents bind it tells of one that is hidden no more than of one that is not
 * there.
 */
export async function isUntoldThere(
  { api }: Pick<SyncContext, "api">,
  { type, record }: Unmet,
): Promise<boolean | Stop | Refused> {
  if (namesOf(type, record).length === 0) return true;
  const reply = await api.read(referenceTo(type, record));
  if (reply.kind === "problem") return reply.problem === "authorization" && reply.missingScope === null;
  return reply.kind === "value" ? false : unasked(reply);
}

type Found = Checked<JsonObject> & { readonly reference: string };

/**
 * The record with a key among those that are called so; else one that tells no key, and is shown as that; else the first answer that leaves open
 * whether it is one of them.
 */
async function firstOf(
  api: Api,
  references: Iterable<string>,
  { told, isShown }: { readonly told: string; readonly isShown: (value: JsonObject) => boolean },
): Promise<Found | null> {
  let shown: Found | null = null;
  let open: Found | null = null;
  for (const reference of references) {
    const reply = { ...(await api.read(reference)), reference };
    if (reply.kind === "value") {
      if (reply.recordKey === told) return reply;
      if (reply.recordKey === undefined && isShown(reply.value)) shown ??= reply;
    } else if (stopOf(reply)) return reply;
    else if (!isAbsent(reply)) open ??= reply;
  }
  return shown ?? open;
}

/** One record's own trouble, or that of all requests. */
function unasked(reply: Exclude<Checked<unknown>, { kind: "value" }>): Stop | Refused {
  return stopOf(reply) ?? { refused: reply.detail };
}

/** Whoever has no right to ask by keys goes by names. */
function mayNot(reply: Checked<unknown>): boolean {
  return reply.kind === "problem" && reply.missingScope !== null;
}
