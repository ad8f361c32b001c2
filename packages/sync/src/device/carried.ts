import { type Links, recordDocument, referencesOf, storedRecord } from "@fieldroll/core";
import { narrowedForFile } from "../model/carried.ts";
import type { SealedWork } from "./seal.ts";
import { recordIn, storedIn } from "./unseal.ts";

/** Work as a file has it: whoever opens that sees no more than its person may see here by now. */
export function carriedWork(content: SealedWork): SealedWork {
  const narrowed = narrowedForFile(content.entry, recordIn(content));
  if (!narrowed) return content;
  const { entry, local } = narrowed;
  const sealed = storedIn(content);
  const stored = sealed && storedRecord(sealed);
  const names: readonly string[] = referencesOf(entry.type, local).map(({ reference }) => reference);
  const links: Links = Object.fromEntries(
    Object.entries(stored?.links ?? {}).filter(([name]) => names.includes(name)),
  );
  const keys = Object.values({ ...links, ...entry.meant });
  const whom = Object.entries(entry.whom ?? {}).filter(([key]) => keys.includes(key));
  const document = stored && recordDocument({ ...stored, record: local, links });
  const { body = null, claims = [], entries = {} } = document ?? {};
  return {
    ...content,
    entry: { ...entry, whom: Object.fromEntries(whom) },
    record: document ? { body, claims, entries } : null,
  };
}
