import { notYet } from "../registry/not-yet.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RegistryView } from "../registry/types.ts";
import type { ChangeRequestVerbs } from "./types.ts";

/** Change requests, for one caller. */
export function changeRequestVerbs(
  _settings: Settings,
  _caller: Caller,
  _view: () => RegistryView,
): ChangeRequestVerbs {
  return { submit: notYet, read: notYet, approve: notYet, reject: notYet, apply: notYet, move: notYet };
}
