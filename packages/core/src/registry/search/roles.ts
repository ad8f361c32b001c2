import type { JsonObject } from "../../json.ts";
import { relationshipSystem } from "../../resource/vocabularies.ts";
import { codes } from "../record/document.ts";

/** Whether a member of a group, or a person's membership made of it, has one of these roles. */
export function hasRole({ role }: JsonObject, wanted: readonly string[], namespace: string): boolean {
  return codes(role, relationshipSystem(namespace)).some((code) => wanted.includes(code));
}
