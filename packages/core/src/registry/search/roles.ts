import type { JsonObject } from "../../json.ts";
import { relationshipSystem } from "../../resource/vocabularies.ts";
import { codes, type StoredRecord, storedRecord } from "../record/document.ts";
import { activeMembers } from "../record/render.ts";
import type { Settings } from "../settings.ts";

/** Whether a member of a group, or a person's membership made of it, has one of these roles. */
export function hasRole({ role }: JsonObject, wanted: readonly string[], namespace: string): boolean {
  return codes(role, relationshipSystem(namespace)).some((code) => wanted.includes(code));
}

/** The groups in which somebody has one of these roles today, each with those members only. */
export async function membersInRole(
  { store, today, namespace }: Settings,
  wanted: readonly string[],
): Promise<readonly { readonly group: StoredRecord; readonly members: readonly JsonObject[] }[]> {
  const found: { group: StoredRecord; members: readonly JsonObject[] }[] = [];
  let after: { readonly value: string | null; readonly key: string } | undefined;
  do {
    const page = await store.query({ collection: "Group", limit: 500, ...(after && { after }) });
    for (const group of page.documents.map(storedRecord)) {
      const members = activeMembers(group.record, today()).filter((one) => hasRole(one, wanted, namespace));
      if (members.length > 0) found.push({ group, members });
    }
    after = page.next;
  } while (after);
  return found;
}
