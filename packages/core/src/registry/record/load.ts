import { type Outcome, type Problem, success } from "../../problem.ts";
import { canonicalReference, parseAddress, printAddress } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Store, StoredDocument } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Address } from "../types.ts";
import { type StoredRecord, storedRecord } from "./document.ts";

/** The claim behind an address: `Type/system|value`. */
export function claimOf(type: ResourceType, address: Address): Outcome<string> {
  const parsed = typeof address === "string" ? parseAddress(address) : success(address);
  return parsed.ok ? success(canonicalReference(type, parsed.value)) : parsed;
}

/** Finds records by claim. */
export async function loadByClaim(
  { store }: Pick<Settings, "store">,
  claims: readonly string[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const found = new Map<string, StoredRecord>();
  const [only] = claims;
  if (only === undefined) return found;
  if (claims.length === 1) {
    const document = await holderOf(store, only);
    return document ? found.set(only, storedRecord(document)) : found;
  }
  const keys = await store.resolve(claims);
  const documents = await store.get(keys.flatMap((key) => (key ? [key] : [])));
  const byKey = new Map(documents.map((document) => [document?.key, document]));
  claims.forEach((claim, i) => {
    const document = byKey.get(keys[i]?.key);
    if (keys[i] && document) found.set(claim, storedRecord(document));
  });
  return found;
}

/** The document that holds a claim: in one call where the store has one for that. */
export async function holderOf(store: Store, claim: string): Promise<StoredDocument | undefined> {
  if (store.find) return (await store.find(claim))?.document;
  const [holder] = await store.resolve([claim]);
  return holder && (await store.get([holder]))[0];
}

/** What a verb answers for an address that leads nowhere. */
export function notFound(type: ResourceType, address: Address): Problem {
  const hint = referenceHint(type, address);
  const detail = `There is no ${type} ${nameOf(address)}.`;
  return { kind: "not-found", detail: hint === undefined ? detail : `${detail} ${hint}` };
}

/** Whoever hands on a reference means what it refers to, and would take the record for lost, or for hidden. */
export function referenceHint(type: ResourceType, address: Address): string | undefined {
  const name = nameOf(address);
  if (!name.startsWith(`${type}/`)) return undefined;
  return `What is asked for is an address, such as ${name.slice(type.length + 1)}, and not a reference with the type in front.`;
}

function nameOf(address: Address): string {
  const parsed = typeof address === "string" ? parseAddress(address) : success(address);
  return parsed.ok ? printAddress(parsed.value) : String(address);
}
