import { recordDocument, referencesOf, storedRecord } from "@fieldroll/core";
import { narrowedForFile } from "../model/carried.ts";
import type { SealedWork } from "./seal.ts";
import { recordIn, storedIn } from "./unseal.ts";

/** Work as a file has it: whoever opens that sees no more than its person may see here by now. */
export function carriedWork(content: SealedWork): SealedWork {
  const known = { entry: content.entry, local: recordIn(content) };
  const { entry, local } = narrowedForFile(known);
  if (entry === known.entry) return content;
  const sealed = storedIn(content);
  if (!sealed) return { ...content, entry };
  const stored = storedRecord(sealed);
  const names = new Set(referencesOf(stored.type, local).map(({ reference }) => reference));
  const links = Object.fromEntries(Object.entries(stored.links).filter(([name]) => names.has(name)));
  const { body, claims = [], entries = {} } = recordDocument({ ...stored, record: local, links });
  return { ...content, entry, record: { body, claims, entries } };
}
