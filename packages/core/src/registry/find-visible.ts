import type { Visibility } from "../consent/visibility.ts";
import { isExempt } from "../consent/visible-fields.ts";
import { failure, type Outcome, type Problem, success } from "../problem.ts";
import { parseAddress, printReference } from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";
import { storedRecord } from "./record/document.ts";
import type { FoundRecord } from "./record/find-record.ts";
import { claimOf, loadByClaim, notFound, referenceHint } from "./record/load.ts";
import type { Settings } from "./settings.ts";
import { absentKey, sightOf } from "./sight.ts";
import type { Address, Caller } from "./types.ts";
import { ownVisibility } from "./write/permission.ts";

/** A record, and what the caller may see of it. */
export interface VisibleRecord extends FoundRecord {
  readonly visibility: Visibility;
}

interface Wanted {
  readonly type: ResourceType;
  readonly address: Address;
}

/**
 * Finds one record for a caller. A hidden record and one that is not there are answered alike, at the same number and kind
 * of calls to the store: contract section 3.4. What is hidden is not loaded.
 */
export async function findVisible(
  settings: Settings,
  caller: Caller,
  wanted: Wanted,
): Promise<Outcome<VisibleRecord>> {
  const { type, address } = wanted;
  const claim = claimOf(type, address);
  if (!claim.ok) return claim;
  if (isExempt(caller) || type === "Program") {
    const found = await find(settings, type, claim.value);
    if (!found) return failure(notFound(type, address));
    return success({ ...found, visibility: ownVisibility(caller) });
  }
  const [holder] = await settings.store.resolve([claim.value]);
  const at = holder ?? absentKey(type);
  const visibility = (await sightOf(settings, caller, [at])).get(at.key);
  const [document] = holder && visibility ? await settings.store.get([holder]) : [];
  return document && visibility
    ? success({ stored: storedRecord(document), visibility })
    : failure(unknownRecord(settings, caller, wanted));
}

async function find(settings: Settings, type: ResourceType, claim: string): Promise<FoundRecord | undefined> {
  if (settings.governance) return settings.governance.find(settings, type, claim);
  const stored = (await loadByClaim(settings, [claim])).get(claim);
  return stored && { stored };
}

/** What a caller is told of a record that is not there, or not for it: contract section 3.4. */
export function unknownRecord(
  { policies }: Pick<Settings, "policies">,
  caller: Caller,
  { type, address }: Wanted,
): Problem {
  if (isExempt(caller) || type === "Program" || policies.withoutConsent === "identifiers") {
    return notFound(type, address);
  }
  const parsed = typeof address === "string" ? parseAddress(address) : success(address);
  const name = parsed.ok ? printReference(type, parsed.value) : `${type}/${String(address)}`;
  const detail = `No consent in force lets you see ${name}, or there is no such record.`;
  // It is about what was asked alone, and so the same of a record that is there.
  const hint = referenceHint(type, address);
  if (hint !== undefined) return { kind: "authorization", detail: `${hint} ${detail}` };
  return { kind: "authorization", detail: `${detail} Ask for the person's consent first.` };
}
