import { notYet } from "../registry/not-yet.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { ConsentVerbs } from "./types.ts";

/** What one caller may do with consents. */
export function consentVerbs(_settings: Settings, _caller: Caller): ConsentVerbs {
  return { read: notYet, grant: notYet, revoke: notYet, remove: notYet, move: notYet, ofSubject: notYet };
}
