import { type Visibility, wholeVisibility } from "../consent/visibility.ts";
import type { ResourceType } from "../resource/types.ts";
import type { StoredRecord } from "./record/document.ts";
import type { Settings } from "./settings.ts";
import type { Caller } from "./types.ts";

/** What one caller may see of each record, by the record's key. A record that is not in it is hidden. */
export type Sight = ReadonlyMap<string, Visibility>;

/** Whether consents, or a list of fields, bind what a caller sees. Everybody else needs no sight at all. */
export function isBound(_caller: Caller): boolean {
  return false;
}

/** Loads the consents that concern these records, and decides what the caller may see of each: contract section 3. */
export async function sightOf(
  _settings: Settings,
  _caller: Caller,
  records: readonly StoredRecord[],
): Promise<Sight> {
  return new Map(records.map(({ key }) => [key, wholeVisibility]));
}

/**
 * The keys of all records of a type of which a caller bound by consent may see anything, in order; `"all"` when that can't be
 * told by consents (policy `identifiers`, or a type without personal data). Its cost depends on those consents alone, never
 * on hidden records.
 */
export async function coveredKeys(
  _settings: Settings,
  _caller: Caller,
  _type: ResourceType,
): Promise<readonly string[] | "all"> {
  return "all";
}
