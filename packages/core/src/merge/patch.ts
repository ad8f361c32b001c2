import { isJsonObject, type Json, type JsonObject, sameJson } from "../json.ts";
import { memberOf, setMember } from "./member.ts";

/**
 * Applies a JSON Merge Patch (RFC 7396, section 2): `null` removes a member, objects merge, anything else replaces.
 * Neither argument is changed. Only the changed paths are copied: what the patch leaves as it was is the same
 * object afterwards, and a patch that changes nothing returns `target` itself.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return target !== undefined && sameJson(target, patch) ? target : patch;
  const source = isJsonObject(target) ? target : {};
  let copy: { [name: string]: Json } | undefined;
  for (const name of Object.keys(patch)) {
    const present = memberOf(source, name);
    const value = patchedMember(present, memberOf(patch, name));
    if (value === present) continue;
    copy ??= { ...source };
    if (value === undefined) delete copy[name];
    else setMember(copy, name, value);
  }
  return copy ?? source;
}

function patchedMember(present: Json | undefined, wanted: Json | undefined): Json | undefined {
  return wanted === undefined || wanted === null ? undefined : applyMergePatch(present, wanted);
}

/**
 * The smallest merge patch that turns `from` into `to`: `applyMergePatch(from, diffMergePatch(from, to))` equals
 * `to`, and two equal objects give `{}`.
 *
 * A merge patch can't say that a member becomes `null` (RFC 7396, section 1), for `null` there means removal.
 * So a new `null` member of `to`, at any depth outside arrays, is read as an absent one. Arrays are replaced whole.
 */
export function diffMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: { [name: string]: Json } = {};
  for (const name of Object.keys(from)) {
    if (memberOf(to, name) === undefined) setMember(patch, name, null);
  }
  for (const name of Object.keys(to)) {
    const change = diffMember(memberOf(from, name), memberOf(to, name));
    if (change !== undefined) setMember(patch, name, change);
  }
  return patch;
}

/** What a patch says about one member of `to`; `undefined` when it needs to say nothing. */
function diffMember(before: Json | undefined, after: Json | undefined): Json | undefined {
  if (after === undefined || sameJson(before, after)) return undefined;
  if (after === null) return before === undefined ? undefined : null;
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const nested = diffMergePatch(before, after);
  return Object.keys(nested).length === 0 ? undefined : nested;
}
