import { isJsonObject, type Json, type ResourceType, referenceTo } from "@fieldroll/core";
import type { Reply } from "./reply.ts";
import type { Checked } from "./verdict-in.ts";

/** References of those who are called as the one with a key, and whether that one is known to be there. */
export interface Namesakes {
  readonly isThere: boolean;
  readonly references: readonly string[];
}

/**
 * Where a person or a group with a key may be found by now; a problem where nobody has the key.
 *
 * @param get sends a request to a path below the API's root
 * @param who `name`: what a group is called; a person's is told by the key
 */
export async function findNamesakes(
  get: (path: string) => Promise<Reply>,
  { type, key, name }: { readonly type: ResourceType; readonly key: string; readonly name: Json | undefined },
): Promise<Checked<Namesakes>> {
  const told = type === "Individual" ? await get(`/registry/registrant/${key}`) : null;
  // Whoever may not ask by keys looks by the names that are known.
  if (told && told.kind !== "ok" && !(told.kind === "problem" && told.missingScope)) return told;
  const data = told?.kind === "ok" && isJsonObject(told.body.data) ? told.body.data : {};
  const [isThere, called] = [data.ext_id === key, told ? data.name : name];
  const none = { kind: "value", value: { isThere, references: [] } } as const;
  if (typeof called !== "string") return none;
  const query = new URLSearchParams({ "name:exact": called, active: "any", limit: "20" });
  const reply = await get(`/${type}?${query.toString()}`);
  if (reply.kind !== "ok") return reply.kind === "problem" ? none : reply;
  const found = Array.isArray(reply.body.data) ? reply.body.data.filter(isJsonObject) : [];
  return { kind: "value", value: { isThere, references: found.map((each) => referenceTo(type, each)) } };
}
