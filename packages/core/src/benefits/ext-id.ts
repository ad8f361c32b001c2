import { isExempt } from "../consent/visible-fields.ts";
import type { Problem } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";

const form = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The key that an `ext_id` stands for, in lower case; `undefined` when it is no UUID (RFC 9562). */
export function keyOf(extId: string): string | undefined {
  const key = extId.toLowerCase();
  return form.test(key) ? key : undefined;
}

/** The kinds of record that the registry-style endpoints know, as `model` names them after its namespace. */
export type ModelName =
  | "registrant"
  | "program"
  | "cycle"
  | "program_membership"
  | "entitlement"
  | "change_request";

/** The word for a kind of record in `model`: contract section 6. */
export function modelOf({ namespace }: Pick<Settings, "namespace">, name: ModelName): string {
  return `${namespace}.${name}`;
}

/** The answer for an `ext_id` that leads nowhere. */
export function unknownExtId(name: ModelName, extId: string): Problem {
  return { kind: "not-found", detail: `There is no ${spoken(name)} with the ext_id ${extId}.` };
}

/** The answer about a person's data that is not there: to a caller bound by consent the one that it gets about hidden data. */
export function unseenExtId(caller: Caller, name: ModelName, extId: string): Problem {
  return isExempt(caller) ? unknownExtId(name, extId) : hiddenExtId(name, extId);
}

/** The answer about a person's data that no consent shows. */
export function hiddenExtId(name: ModelName, extId: string): Problem {
  const detail = `No consent in force shows you a ${spoken(name)} with the ext_id ${extId}.`;
  return { kind: "authorization", detail: detail.replace(" a e", " an e") };
}

function spoken(name: ModelName): string {
  return name.replace("_", " ");
}
