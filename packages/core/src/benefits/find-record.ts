import { declaredAt } from "../registry/record/declared.ts";
import type { Settings } from "../registry/settings.ts";
import {
  canonicalReference,
  parseReference,
  type RecordAddress,
  type StoredReference,
  splitRaw,
} from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";
import { keyOf } from "./ext-id.ts";

/**
 * The address of the record with a key. Where there is none it is one that leads nowhere, so that whatever follows does the
 * same work and gives the same answer as for a record that the caller may not see.
 */
export async function addressByKey(
  { store, newId, namespace }: Pick<Settings, "store" | "newId" | "namespace">,
  type: ResourceType,
  key: string,
): Promise<RecordAddress> {
  const declared = await declaredAt({ store }, { collection: type, key });
  const [name] = declared?.entries.identity ?? [];
  const { system, value } = splitRaw(
    `${type}/${name ?? `urn:${namespace}:nobody|${newId()}`}` as StoredReference,
  );
  return { system, value };
}

/** The keys of records by their addresses, in their order; `undefined` where an address leads nowhere. */
export async function keysByAddress(
  { store }: Pick<Settings, "store">,
  type: ResourceType,
  addresses: readonly RecordAddress[],
): Promise<readonly (string | undefined)[]> {
  if (addresses.length === 0) return [];
  const found = await store.resolve(addresses.map((address) => canonicalReference(type, address)));
  return found.map((at) => at?.key);
}

/** The key of a record named by reference, or by `ext_id`, if it is there. */
export async function keyNamed(
  settings: Pick<Settings, "store">,
  type: ResourceType,
  { reference, extId }: { readonly reference?: string | undefined; readonly extId?: string | undefined },
): Promise<string | undefined> {
  if (reference !== undefined) {
    const parsed = parseReference(reference);
    if (!parsed.ok || parsed.value.type !== type) return undefined;
    return (await keysByAddress(settings, type, [parsed.value]))[0];
  }
  const key = keyOf(extId ?? "");
  return key === undefined ? undefined : (await declaredAt(settings, { collection: type, key }))?.key;
}
