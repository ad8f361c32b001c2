import { sees, type Visibility, visiblePart } from "../../consent/visibility.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Entries } from "../../store/port.ts";
import { entriesOf, type Links, type StoredRecord } from "../record/document.ts";
import { render } from "../record/render.ts";
import { readReferences } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Sight } from "../sight.ts";

/** A record that a search looks at, as far as its caller may see it. */
export interface Candidate {
  readonly stored: StoredRecord;
  readonly visibility: Visibility;
  /** What conditions look at: the visible part with raw references, or all of it in stored form. */
  readonly record: JsonObject;
  readonly links: Links;
  readonly entries: Entries;
  /** The whole record as `render` made it, where it was needed already. */
  readonly rendered?: JsonObject;
}

/** Looks at whole records, for a caller who sees all that is asked about. */
export async function openCandidates(
  { store, today }: Pick<Settings, "store" | "today">,
  records: readonly StoredRecord[],
  { rendered, visibility }: { readonly rendered: boolean; readonly visibility: Visibility },
): Promise<readonly Candidate[]> {
  const shown = rendered ? await render(records, { store, today: today() }) : [];
  return records.map((stored, i) => {
    const { type, record, links } = stored;
    const entries = entriesOf(type, record, links);
    const whole = shown[i];
    return { stored, visibility, record, links, entries, ...(whole && { rendered: whole }) };
  });
}

/**
 * Looks at records as far as a caller sees them, each reduced to what it sees of it, index entries included. Whatever is decided on
 * these follows from visible data alone (contract section 3.5).
 */
export async function partCandidates(
  settings: Settings,
  records: readonly StoredRecord[],
  sight: Sight,
): Promise<readonly Candidate[]> {
  const seen = records.filter(({ key }) => sight.has(key));
  const shown = await render(seen, { store: settings.store, today: settings.today() });
  return seen.flatMap((stored, i) => {
    const [visibility, rendered] = [sight.get(stored.key), shown[i]];
    if (!visibility || !rendered) return [];
    return [partOf(stored, rendered, visibility)];
  });
}

/** A record reduced to what a caller sees of it. */
export function partOf(stored: StoredRecord, rendered: JsonObject, visibility: Visibility): Candidate {
  const record = readReferences(stored.type, visiblePart(rendered, visibility));
  const entries = visibleEntries(stored.type, record, visibility);
  return { stored, visibility, record, links: {}, entries, rendered };
}

/** Index entries of a visible part. What would be filled in by default is left out where its field is hidden. */
function visibleEntries(type: ResourceType, part: JsonObject, visibility: Visibility): Entries {
  const { active, endsOn: _, ...entries } = entriesOf(type, part, {});
  return {
    ...entries,
    ...(active && sees(visibility, "active") && { active }),
    ...(type === "Program" && endsOnOf(part.status)),
  };
}

/** Of a program, callers see when it has ended by its status. */
function endsOnOf(status: Json | undefined): Entries {
  if (status === undefined) return {};
  return { endsOn: [status === "ended" ? "0001-01-01" : "9999-12-31"] };
}

/** A person's memberships as the caller sees them; `undefined` when it does not see which they are. */
export function membershipsOf({ rendered, visibility }: Candidate): readonly JsonObject[] | undefined {
  const { groupMembership } = visiblePart(rendered ?? {}, visibility);
  if (!sees(visibility, "groupMembership.group") && groupMembership === undefined) return undefined;
  return Array.isArray(groupMembership) ? groupMembership.filter((item: Json) => isJsonObject(item)) : [];
}
