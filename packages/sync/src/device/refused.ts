import { type Store, sameJson } from "@fieldroll/core";
import type { OutboxEntry } from "../model/entry.ts";
import type { Park } from "../model/park.ts";
import { settleWork } from "./commit.ts";
import { collections, everyDocument } from "./documents.ts";
import { haveLeft } from "./other-household.ts";
import { entryOf } from "./outbox.ts";
import { isUntold, localIn } from "./work.ts";

/**
 * What was refused for a reference goes out again: under the name that the server gave the other record, without one that it does not
 * name any more, or once the other record is here, where it was not; and what was refused for people of another household, once they have left
 * that. Work may come in two parts, and its records by different ways. What never
 * had an answer goes out again when it is due.
 */
export async function freeRefused(store: Store, { at, wrote }: Now): Promise<void> {
  const where = [{ index: "state", anyOf: ["parked"] }];
  for await (const document of everyDocument(store, { collection: collections.outbox, where })) {
    const { type, key, parked, needs } = entryOf(document);
    if (parked?.reason !== "rejected") continue;
    if (isTriedAgain(parked, { at, wrote })) {
      await settleWork(store, { type, key, at }, ({ entry, local }) =>
        entry.parked?.again?.at === parked.again?.at
          ? { entry: { ...entry, parked: null }, local, ended: [] }
          : null,
      );
      continue;
    }
    if (parked.households && (await haveLeft(store, parked.households, at))) {
      await settleWork(store, { type, key, at }, ({ entry, local }) =>
        entry.parked?.households ? { entry: { ...entry, parked: null }, local, ended: [] } : null,
      );
      continue;
    }
    const absent = says(parked, "unknown_reference") ? await absentOf(store, needs) : null;
    await settleWork(store, { type, key, at }, ({ entry, local }, work) => {
      if (entry.parked?.reason !== "rejected") return null;
      const isRenamed = !sameJson(local, localIn(work));
      const isAnothers = says(entry.parked, "other_record") && isOver(entry.parked, entry);
      const isMended =
        isAnothers || (absent !== null && (hasArrived(entry.parked, absent) || isOver(entry.parked, entry)));
      const isFree = isRenamed || isMended;
      return { entry: { ...entry, parked: isFree ? null : lacking(entry.parked, absent) }, local, ended: [] };
    });
  }
}

interface Now {
  /** UTC instant. */
  readonly at: string;
  /** Whether a request had a verdict in this run. */
  readonly wrote: boolean;
}

/** Whether what never had an answer is due. A time further off than any that is given was given by a clock that has been put back since. */
function isTriedAgain({ again }: Park, { at, wrote }: Now): boolean {
  if (!again) return false;
  const wait = Date.parse(again.at) - Date.parse(at);
  return wait <= 0 || wait > 24 * 60 * 60_000 || (wrote && again.soon);
}

function says({ errors }: Park, wanted: string): boolean {
  return errors.some(({ code }) => code === wanted);
}

/** References that lead to nothing on this device, or to somebody registered here of whom no feed has told: consents may hide her yet. */
async function absentOf(store: Store, needs: OutboxEntry["needs"]): Promise<readonly string[]> {
  const holders = needs.length > 0 ? await store.resolve(needs) : [];
  const found = await store.get(holders.flatMap((holder) => holder ?? []));
  const told = new Set(found.flatMap((document) => (document && !isUntold(document) ? [document.key] : [])));
  return needs.filter((_, i) => !told.has(holders[i]?.key ?? ""));
}

function hasArrived({ lacks = [] }: Park, absent: readonly string[]): boolean {
  return lacks.some((name) => !absent.includes(name));
}

/** Whether news has put it right, or away. What was noted before that was goes out once. */
function isOver({ named = [""] }: Park, { needs }: OutboxEntry): boolean {
  return named.some((name) => !needs.includes(name));
}

function lacking(parked: Park, absent: readonly string[] | null): Park {
  return parked.lacks || !absent ? parked : { ...parked, lacks: absent };
}
