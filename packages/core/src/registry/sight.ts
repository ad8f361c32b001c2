import { type Visibility, wholeVisibility } from "../consent/visibility.ts";
import { isExempt } from "../consent/visible-fields.ts";
import type { ResourceType } from "../resource/types.ts";
import type { DocumentKey } from "../store/port.ts";
import type { StoredRecord } from "./record/document.ts";
import type { Settings } from "./settings.ts";
import type { Caller } from "./types.ts";

/** What one caller may see of each record, by the record's key. A record that is not in it is hidden. */
export type Sight = ReadonlyMap<string, Visibility>;

/** Whether a caller sees the same fields of every record of a type: consents do not bind it, or the records are of no person. */
export function isSharedSight(caller: Pick<Caller, "legalBasis">, type: ResourceType): boolean {
  return isExempt(caller) || type === "Program";
}

/** Whether consents, or a list of fields, bind what a caller sees. Everybody else needs no sight at all. */
export function isBound(caller: Pick<Caller, "legalBasis" | "fields">): boolean {
  return !isExempt(caller) || caller.fields !== undefined;
}

/** Whether a caller is restricted in a registry that answers others. Whoever runs a device holds its store. */
export function isRestricted({ governance }: Pick<Settings, "governance">, caller: Caller): boolean {
  return governance !== undefined && isBound(caller);
}
/** A record that is loaded, or the key of one that is not. */
export type Subject = StoredRecord | DocumentKey;

/**
 * Loads the consents that concern these records, and decides what the caller may see of each: contract section 3. The
 * calls to the store are the same in number and kind whatever it finds, one round for any number of records. Keys are
 * enough: no record has to be loaded to learn that it is hidden.
 */
export async function sightOf(
  settings: Settings,
  caller: Caller,
  records: readonly Subject[],
): Promise<Sight> {
  return (
    settings.governance?.sight(settings, caller, records) ??
    new Map(records.map(({ key }) => [key, wholeVisibility]))
  );
}

/**
 * Stands for a record that is not there, so that looking for it costs what looking for a hidden one costs. No record has such a key,
 * and all keys of records come after it.
 *
 * @param place another one for each of those that are looked for together
 */
export function absentKey(type: ResourceType, place = 0): DocumentKey {
  return { collection: type, key: `0-${place}` };
}
