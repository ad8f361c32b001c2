import type * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { FieldError } from "../../problem.ts";
import { fieldErrors } from "../../resource/issues.ts";
import { withNearest } from "../../resource/nearest-name.ts";
import { readPlain } from "../../resource/plain.ts";
import { readReference } from "../../resource/read-reference.ts";
import { canonicalReference, type StoredReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { quoted } from "../../text.ts";
import { otherRecord } from "../write/link.ts";

/** A body with what is wrong with it: what can be read of it is judged all the same, so that every fault is told at once. */
export interface Body {
  readonly value: Json;
  readonly faults: readonly FieldError[];
}

/** Checks the body of a member operation. */
export function readBody(schema: z.ZodType, body: unknown): Body {
  const plain = readPlain(body);
  if (!plain.ok) {
    const { errors, detail } = plain.problem;
    return { value: null, faults: errors ?? [{ field: "", code: "too_large", message: detail }] };
  }
  const { value } = plain;
  if (!isJsonObject(value)) {
    const message = "the body must be a JSON object";
    return { value: null, faults: [{ field: "", code: "invalid_type", message }] };
  }
  const parsed = schema.safeParse(value);
  const faults = parsed.success ? [] : withNearest(fieldErrors(parsed.error.issues, value), schema);
  // Nobody in a list with too many entries is looked up.
  return { value: faults.some(({ code }) => code === "too_many") ? null : value, faults };
}

/** A member of the body. */
export function memberAt(value: Json, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** The raw form of a reference, where it is one to a record of the type. */
export function rawOf(value: Json | undefined, type: ResourceType): StoredReference | undefined {
  const read = readReference(memberAt(value ?? null, "reference"), [type]);
  return read && canonicalReference(type, read);
}

/** Says that the person named in a body is another one than the key beside says. */
export function othersKey(
  body: unknown,
  { raw, key }: { readonly raw: StoredReference; readonly key?: string | undefined },
): FieldError[] {
  const { entity = null } = isJsonObject(body as Json) ? (body as JsonObject) : {};
  const given = isJsonObject(entity) ? entity.key : undefined;
  if (typeof given !== "string" || key === undefined || given === key) return [];
  return [otherRecord("/entity/key", raw)];
}

/** Says that a reference leads nowhere, in the words of every write. */
export function unknownReference(pointer: string, what: string): FieldError {
  return {
    field: `${pointer}/reference`,
    code: "unknown_reference",
    message: `${quoted(what)} does not exist; create it first`,
  };
}
