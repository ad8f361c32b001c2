import { documentsOf } from "../registry/every-page.ts";
import type { Settings } from "../registry/settings.ts";
import { resourceTypes } from "../resource/types.ts";
import type { DocumentKey, StoredDocument } from "../store/port.ts";
import { joinedKey } from "../store/rules.ts";
import type { KeptReference, Target, Targets } from "./kept-kind.ts";
import { shownVersion } from "./kept-kinds.ts";
import { recordAsTarget } from "./record-kind.ts";

/** Reads what documents lead to, each once. */
export async function loadTargets(
  { store }: Pick<Settings, "store">,
  references: readonly KeptReference[],
): Promise<Targets> {
  const keys = new Map<string, DocumentKey>();
  for (const { to } of references) for (const key of to) if (key.key !== "") keys.set(joinedKey(key), key);
  const targets = new Map<string, Target>();
  for await (const documents of documentsOf(store, [...keys.values()])) {
    for (const document of documents) {
      if (document) targets.set(joinedKey(document), targetOf(document));
    }
  }
  return targets;
}

/** A damaged body is told where it is, not where others lead to it. */
function targetOf(document: StoredDocument): Target {
  const unnamed = { version: document.version, shown: Number.NaN, names: [] };
  try {
    if (resourceTypes.some((type) => type === document.collection)) {
      return { ...unnamed, ...recordAsTarget(document) };
    }
    return { ...unnamed, shown: shownVersion(document) };
  } catch {
    return unnamed;
  }
}
