import { type Visibility, wholeVisibility } from "../consent/visibility.ts";
import { isExempt } from "../consent/visible-fields.ts";
import type { ResourceType } from "../resource/types.ts";
import type { StoredRecord } from "./record/document.ts";
import type { Settings } from "./settings.ts";
import type { Caller } from "./types.ts";

/** What one caller may see of each record, by the record's key. A record that is not in it is hidden. */
export type Sight = ReadonlyMap<string, Visibility>;

/** Whether consents, or a list of fields, bind what a caller sees. Everybody else needs no sight at all. */
export function isBound(caller: Pick<Caller, "legalBasis" | "fields">): boolean {
  return !isExempt(caller) || caller.fields !== undefined;
}

/** Whether a caller is restricted in a registry that answers others. Whoever runs a device holds its store. */
export function isRestricted({ governance }: Pick<Settings, "governance">, caller: Caller): boolean {
  return governance !== undefined && isBound(caller);
}

/**
 * Loads the consents that concern these records, and decides what the caller may see of each: contract section 3. The
 * calls to the store are the same in number and kind whatever it finds, one round for any number of records.
 */
export async function sightOf(
  settings: Settings,
  caller: Caller,
  records: readonly StoredRecord[],
): Promise<Sight> {
  return (
    settings.governance?.sight(settings, caller, records) ??
    new Map(records.map(({ key }) => [key, wholeVisibility]))
  );
}

/**
 * The keys of all records of a type of which a caller bound by consent may see anything, in order; `"all"` when that can't be
 * told by consents (policy `identifiers`, or a type without personal data). Its cost depends on those consents alone, never
 * on hidden records.
 */
export async function coveredKeys(
  settings: Settings,
  caller: Caller,
  type: ResourceType,
): Promise<readonly string[] | "all"> {
  return settings.governance?.covered(settings, caller, type) ?? "all";
}

/** Stands for a record that is not there, so that looking for it costs what looking at a hidden one costs. */
export function absentRecord(type: ResourceType): StoredRecord {
  return { type, key: "absent", version: 0, record: {}, links: {}, feeds: [] };
}
