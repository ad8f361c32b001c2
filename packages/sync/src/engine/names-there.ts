import { type JsonObject, printRaw, type Store } from "@fieldroll/core";
import { namesFor, namingIn, strangersIn, type Told } from "../device/naming.ts";
import { typeIn } from "../device/renames.ts";
import { loadWork, serverAlias } from "../device/work.ts";
import { namesOf } from "../model/content.ts";
import type { OutboxEntry } from "../model/entry.ts";
import type { Names } from "../model/naming.ts";
import type { Api } from "../transport/api.ts";

/**
 * How the server's copy of a record calls those whom unsent work calls otherwise. A name that is in no feed yet is asked for: by its key
 * the server tells whose it is. One that is nobody's here stays nobody's.
 *
 * @returns `failed`: what kept that from being known
 */
export async function namesThere(
  entry: OutboxEntry,
  theirs: JsonObject,
  { store, api }: { readonly store: Store; readonly api: Api },
): Promise<
  | { readonly kind: "names"; readonly theirs: JsonObject; readonly names: Names }
  | { readonly kind: "failed"; readonly detail: string }
> {
  const [work] = await loadWork(store, [entry]);
  if (!work) return { kind: "names", theirs, names: new Map() };
  const naming = namingIn(work, theirs);
  const told: Told[] = [];
  for (const name of await strangersIn(store, naming)) {
    const reply = await api.read(printRaw(name));
    if (reply.kind !== "value" && reply.kind !== "problem") return { kind: "failed", detail: reply.detail };
    if (reply.kind !== "value" || reply.recordKey === undefined) continue;
    const type = typeIn(name);
    const [here] = await store.resolve([serverAlias(reply.recordKey)]);
    told.push({ type, key: here?.key ?? reply.recordKey, names: namesOf(type, reply.value) });
  }
  return { kind: "names", theirs, names: await namesFor(store, naming, told) };
}
