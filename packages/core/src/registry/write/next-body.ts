import { fieldsChanged } from "../../audit/undo.ts";
import { sightFrom, type Visibility, withHidden } from "../../consent/visibility.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { applyMergePatch } from "../../merge/patch.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import type { StoredRecord } from "../record/document.ts";
import { wireForm } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { WriteEntry } from "../types.ts";
import { completedReplacement, maySee, mayWrite } from "./permission.ts";
import { precondition } from "./precondition.ts";

/** An entry with the record that it is about, where there is one, and what its author may see of it. */
export interface SeenEntry {
  readonly entry: WriteEntry;
  readonly found: StoredRecord | null;
  readonly visibility: Visibility;
}

interface SeenChange extends SeenEntry {
  readonly entry: Exclude<WriteEntry, { verb: "create" | "derive" }>;
  readonly found: StoredRecord;
}

/** What the record is to become, as a writer who sees all of it would send it. */
export function bodyOf(settings: Settings, change: SeenChange): Outcome<unknown> {
  const { entry, found, visibility } = change;
  const { type } = entry;
  if (entry.verb === "update") return updated(entry, change);
  const allowed = mayWrite(type, entry.body, { visibility, settings });
  if (!allowed.ok) return allowed;
  const refused = precondition(found, entry.ifMatch);
  if (refused) return failure(refused);
  const { meta: _, ...before } = found.record;
  const sent = wireForm(type, before);
  if (entry.verb === "patch") return success(patched(sent, entry.body));
  const { policies } = settings;
  const { body, shown } = entry;
  const whole = shown && isJsonObject(body) ? withHidden(body, sent, sightFrom(shown)) : body;
  return success(completedReplacement(whole, sent, { visibility, policies }));
}

function updated(
  entry: Extract<WriteEntry, { verb: "update" }>,
  { found, visibility }: SeenChange,
): Outcome<unknown> {
  const looked = maySee(entry.looksAt ?? [], visibility);
  if (!looked.ok) return looked;
  const changed = entry.change(found.record, found.links);
  if (!changed.ok) return changed;
  const allowed = maySee(fieldsChanged(found.record, changed.value), visibility);
  return allowed.ok ? success(wireForm(entry.type, changed.value)) : allowed;
}

function patched(before: JsonObject, patch: unknown): unknown {
  return applyMergePatch(before, patch as JsonObject);
}
