import { isJsonObject, type Json, type JsonObject, type ResourceType, referenceTo } from "@fieldroll/core";
import type { Reply } from "./reply.ts";
import type { Checked } from "./verdict-in.ts";

/**
 * References of those who are called as the person or the group with a key is; a problem where nobody has the key.
 *
 * @param get sends a request to a path below the API's root
 * @param who `name`: what a group is called; a person's is told by the key
 */
export async function findNamesakes(
  get: (path: string) => Promise<Reply>,
  { type, key, name }: { readonly type: ResourceType; readonly key: string; readonly name: Json | undefined },
): Promise<Checked<readonly string[]>> {
  const told = type === "Individual" ? await get(`/registry/registrant/${key}`) : null;
  if (told && told.kind !== "ok") return told;
  const called = (told?.body.data as JsonObject | undefined)?.name ?? name;
  const reply = await get(`/${type}?limit=99&active=any&name:exact=${encodeURIComponent(String(called))}`);
  if (reply.kind !== "ok") return reply;
  const found = [reply.body.data].flat().filter(isJsonObject);
  return { kind: "value", value: found.map((each) => referenceTo(type, each)) };
}
