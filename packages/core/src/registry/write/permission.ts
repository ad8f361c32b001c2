import {
  hiddenMembers,
  sees,
  type Visibility,
  wholeVisibility,
  withHidden,
} from "../../consent/visibility.ts";
import { within } from "../../consent/visible-fields.ts";
import { isJsonObject, type Json, type JsonObject, pointer, sameJson } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import { withoutDerived } from "../../resource/derived.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Settings } from "../settings.ts";
import { isRestricted } from "../sight.ts";
import type { Caller } from "../types.ts";

/** What a caller may see where no consent is asked, and write of a record that is not there yet: its own fields. */
export function ownVisibility(caller: Caller): Visibility {
  return within(wholeVisibility, caller.fields);
}

/** Who sees nothing of a record but that it is there writes nothing of it, not even its identifier. */
function writable(visibility: Visibility): Visibility {
  return visibility.basis === "none" ? { ...visibility, fields: new Set(["type"]) } : visibility;
}

/**
 * Refuses a body that names what its sender can't see, each of the fields: contract section 3.6. What is no field at all is
 * hidden from nobody: validation refuses that.
 */
export function mayWrite(
  type: ResourceType,
  body: unknown,
  { visibility, settings }: { readonly visibility: Visibility; readonly settings: Settings },
): Outcome<void> {
  if (visibility.fields === "all" && visibility.extensions === "all") return success(undefined);
  const sent = isJsonObject(body) ? withoutDerived(type, body) : body;
  const hidden = hiddenMembers(sent, writable(visibility)).filter(
    (field) => settings.governance?.isKnown(type, field, settings.schemas.context) ?? true,
  );
  if (hidden.length > 0) return hiddenFields(hidden);
  return visibility.basis === "none" ? failure(nothingShown) : success(undefined);
}

/** Refuses a change that has to look at fields that its author can't see. */
export function maySee(fields: readonly string[], visibility: Visibility): Outcome<void> {
  const seen = writable(visibility);
  const hidden = fields.filter((field) => !sees(seen, field)).map((field) => pointer(field.split(".")));
  return hidden.length === 0 ? success(undefined) : hiddenFields(hidden);
}

/** What restricted callers change only where the deployment says so: by these a record is found, and counts or not. */
export const restrictedMembers = ["identifier", "active"] as const;

/**
 * Refuses a restricted caller that changes `identifier` or `active`, unless the policy `restrictedWrites` names the member: contract
 * section 3.6. The value that is there is no change.
 */
export function mayChange(
  settings: Pick<Settings, "policies" | "governance">,
  caller: Caller,
  { before, after }: { readonly before: JsonObject; readonly after: unknown },
): Outcome<void> {
  if (!isRestricted(settings, caller) || !isJsonObject(after)) return success(undefined);
  const former: JsonObject = { active: true, ...before };
  // An enrollment that is sent without an identifier keeps its own.
  const next: JsonObject = { active: true, identifier: former.identifier ?? [], ...after };
  const changed = restrictedMembers.filter(
    (member) =>
      !settings.policies.restrictedWrites.includes(member) && !sameJson(former[member], next[member]),
  );
  if (changed.length === 0) return success(undefined);
  const fields = changed.map((member) => pointer([member]));
  const message = "is not yours to change; leave it as it is";
  return failure({
    kind: "authorization",
    detail: `You may not change ${fields.join(", ")} of this record. Leave it as it is, or ask the register's operator to change it.`,
    errors: fields.map((field) => ({ field, code: "restricted_field", message })),
  });
}

const nothingShown: Problem = {
  kind: "authorization",
  detail: "You may not write this record: nothing of it is shown to you. Ask for a consent that shows it.",
};

function hiddenFields(hidden: readonly string[]): Outcome<never> {
  return failure({
    kind: "authorization",
    detail: `You may not write ${hidden.join(", ")}: what is hidden from you is not yours to change. Leave it out.`,
    errors: hidden.map((field) => ({
      field,
      code: "hidden_field",
      message: "is hidden from you; leave it out",
    })),
  });
}

/**
 * The record that a PUT asks for: what its sender can't see stays, and so does an extension that it doesn't name, as
 * extensions are shown on request only. `null` takes one away.
 */
export function completedReplacement(
  body: unknown,
  before: JsonObject,
  { visibility, policies }: { readonly visibility: Visibility } & Pick<Settings, "policies">,
): unknown {
  if (!isJsonObject(body)) return body;
  const whole = withHidden(body, before, visibility);
  const { extension: former } = before;
  const { extension: sent = {} } = whole;
  if (policies.extensions === "always" || !isJsonObject(sent)) return whole;
  const named = Object.entries({ ...(isJsonObject(former) ? former : {}), ...sent });
  const extension = Object.fromEntries(named.filter(([, value]: [string, Json]) => value !== null));
  if (named.length === 0) return whole;
  if (Object.keys(extension).length > 0) return { ...whole, extension };
  const { extension: _, ...rest } = whole;
  return rest;
}
