import {
  activeMembers,
  isJsonObject,
  rawReference,
  recordKey,
  type Store,
  storedRecord,
} from "@fieldroll/core";
import type { Housed } from "../types.ts";
import { outboxKey } from "./work.ts";

/**
 * Whether each of these people has left the other household, as the server has it: it is on this device, with nothing unsent, and without
 * them. Example: the one tablet moved Ana to the Reyes while this one moved her to the Cruz; the office ends the first membership.
 *
 * @param at UTC instant
 */
export async function haveLeft(store: Store, housed: readonly Housed[], at: string): Promise<boolean> {
  const left = await Promise.all(housed.map((one) => hasLeft(store, one, at.slice(0, 10))));
  return left.length > 0 && left.every((each) => each);
}

async function hasLeft(store: Store, { person, household }: Housed, today: string): Promise<boolean> {
  const names = [household, person].map(({ reference }) => rawReference(reference));
  const [group, individual] = await store.resolve(names);
  if (!group) return false;
  const [document, unsent] = await store.get([recordKey("Group", group.key), outboxKey("Group", group.key)]);
  if (!document || unsent) return false;
  const { record, links } = storedRecord(document);
  return !activeMembers(record, today).some(({ entity }) => {
    const name = isJsonObject(entity) ? String(entity.reference) : "";
    return name === names[1] || (individual && links[name] === individual.key);
  });
}
