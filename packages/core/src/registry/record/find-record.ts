import type { ResourceType } from "../../resource/types.ts";
import type { Settings } from "../settings.ts";
import { type StoredRecord, storedRecord } from "./document.ts";
import { loadByClaim } from "./load.ts";

/** A record found by its claim. */
export interface FoundRecord {
  readonly stored: StoredRecord;
  /** Of a person: the groups that name it as a member, archived ones too, where the store told them at once. */
  readonly groups?: readonly StoredRecord[];
}

/**
 * Finds a record, and a person's groups with it where the store can.
 *
 * A group names its members by their keys: a registry that answers others takes no reference that leads nowhere, so none of its
 * groups names a person only by an identifier.
 */
export async function findRecord(
  { store }: Pick<Settings, "store">,
  type: ResourceType,
  claim: string,
): Promise<FoundRecord | undefined> {
  if (!store.find) {
    const stored = (await loadByClaim({ store }, [claim])).get(claim);
    return stored && { stored };
  }
  const isPerson = type === "Individual";
  const found = await store.find(claim, isPerson ? { collection: "Group", index: "member" } : undefined);
  if (!found) return undefined;
  const stored = storedRecord(found.document);
  return isPerson ? { stored, groups: found.naming.map(storedRecord) } : { stored };
}
