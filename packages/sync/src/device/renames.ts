import { type ResourceType, referencesOf, type Store, storedRecord } from "@fieldroll/core";
import { namesOf } from "../model/content.ts";
import { entryIn, loadWork, localIn, type Work } from "./work.ts";

/** Raw references of a record to records of this device that have other identifiers by now, with what they are now. */
export async function newNames(store: Store, { type, record }: Work): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (!record) return names;
  const { record: local, links } = storedRecord(record);
  const targets = referencesOf(type, local).flatMap(({ reference }) => {
    const key = links[reference];
    return key === undefined ? [] : [{ type: typeIn(reference), key, reference }];
  });
  const works = await loadWork(store, targets);
  targets.forEach(({ reference }, i) => {
    const work = works[i];
    const name = work && presentName(work, reference);
    if (name !== undefined) names.set(reference, name);
  });
  return names;
}

/** What a record is called that does not go by this reference any more: by the server, or here where that has not got it. */
function presentName(work: Work, reference: string): string | undefined {
  const [entry, local] = [entryIn(work), localIn(work)];
  const server = entry ? entry.base : local;
  if (!local || namesOf(work.type, local).includes(reference)) return undefined;
  const names = namesOf(work.type, server ?? local);
  return names.includes(reference) ? undefined : names[0];
}

/** The type of what a raw reference refers to. */
export function typeIn(raw: string): ResourceType {
  return raw.slice(0, raw.indexOf("/")) as ResourceType;
}
