import type { VisibleRecord } from "../registry/find-visible.ts";
import { wireForm } from "../registry/record/stored.ts";
import type { Settings } from "../registry/settings.ts";
import { historyOf } from "./history.ts";
import { changesOf } from "./trail.ts";
import type { History } from "./types.ts";

/** The versions of a record as far as a caller sees what they changed, newest first, from the audit trail. */
export async function recordHistory(
  settings: Settings,
  { stored, visibility }: VisibleRecord,
): Promise<History> {
  const { type, key, record } = stored;
  const entries = await changesOf(settings, `${type}/${key}`);
  const print = (former: typeof record) => wireForm(type, former);
  return historyOf(record, entries, { visibility, namespace: settings.namespace, print });
}
