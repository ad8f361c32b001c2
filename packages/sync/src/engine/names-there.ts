import { type JsonObject, type Links, printRaw, type Store, sameJson } from "@fieldroll/core";
import { namesFor, namingIn, strangersIn, type Told } from "../device/naming.ts";
import { typeIn } from "../device/renames.ts";
import { loadWork, serverAlias } from "../device/work.ts";
import { namesOf } from "../model/content.ts";
import type { Names } from "../model/naming.ts";
import type { Api } from "../transport/api.ts";
import type { Answered } from "./duplicate.ts";

/**
 * How the server's copy of a record calls those whom unsent work calls otherwise. A name that is in no feed yet is asked for: by its key
 * the server tells whose it is. One that is nobody's here stays nobody's, and so does one that is nobody's there, unless the copy is
 * another one by then.
 *
 * @returns `meant`: whom its names mean, as far as the entry and the server tell; `failed`: what kept that from being known
 */
export async function namesThere(
  entry: Answered,
  theirs: JsonObject,
  { store, api }: { readonly store: Store; readonly api: Api },
): Promise<
  | {
      readonly kind: "names";
      readonly theirs: JsonObject;
      readonly names: Names;
      readonly meant?: Links | undefined;
    }
  | { readonly kind: "failed"; readonly detail: string }
> {
  const [work] = await loadWork(store, [entry]);
  if (!work) return { kind: "names", theirs, names: new Map() };
  const naming = namingIn(work, theirs);
  const told: Told[] = [];
  let { meant } = entry;
  let absent: string | null = null;
  for (const name of await strangersIn(store, naming)) {
    const reply = await api.read(printRaw(name));
    if (reply.kind !== "value" && reply.kind !== "problem") return { kind: "failed", detail: reply.detail };
    if (reply.kind !== "value") absent = reply.detail;
    else if (reply.recordKey !== undefined) {
      const type = typeIn(name);
      const [here] = await store.resolve([serverAlias(reply.recordKey)]);
      const key = here?.key ?? reply.recordKey;
      told.push({ type, key, names: namesOf(type, reply.value) });
      meant = { ...meant, [name]: key };
    }
  }
  if (absent !== null) {
    const again = await api.read(entry.request.path.slice(1));
    if (again.kind !== "value" || !sameJson(again.value, theirs)) return { kind: "failed", detail: absent };
  }
  return { kind: "names", theirs, names: await namesFor(store, naming, told), meant };
}
