import { type Visibility, visiblePart } from "../consent/visibility.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import { readSelection, type Selection } from "./search/read-options.ts";
import type { Settings } from "./settings.ts";
import type { ReadOptions } from "./types.ts";

/** A rendered record on its way to a caller. */
export interface Presentable {
  readonly type: ResourceType;
  /** As `render` made it: whole. */
  readonly record: JsonObject;
  readonly visibility: Visibility;
}

/**
 * Refuses unknown names in `_elements` and `_extensions` (contract section 4), before anything is looked up or written.
 *
 * @param types of the records that may be in the answer
 */
export function checkReadOptions(
  types: readonly ResourceType[],
  options: ReadOptions,
  settings: Pick<Settings, "schemas">,
): Outcome<void> {
  const selection = readSelection(types, options, settings);
  return selection.ok ? success(undefined) : selection;
}

/**
 * The part of a rendered record that an answer shows: what the caller may see, of that the elements and extensions it
 * asked for. Pure.
 *
 * - `type` and `identifier` always stay.
 * - An extension is shown when `_extensions` asks for it; policy `extensions: "always"` asks for all. `_elements` narrows
 *   extensions only by naming `extension` or one of them.
 * - A record of which no consent shows anything says so: `_consent`.
 *
 * The options must have been checked by {@link checkReadOptions}: unknown names show nothing here.
 *
 * @param photo whether `photo` is shown without being named in `_elements`: on single reads only
 */
export function present(
  { type, record, visibility }: Presentable,
  options: ReadOptions & { readonly photo: boolean },
  settings: Pick<Settings, "policies" | "schemas">,
): JsonObject {
  const checked = readSelection([type], options, settings);
  const selection: Selection = checked.ok ? checked.value : { elements: new Set(), extensions: new Set() };
  const { extension, ...core } = visiblePart(record, visibility);
  const { photo, ...small } = chosenMembers(core, selection);
  const pictured = photo !== undefined && (options.photo || selection.elements?.has("photo"));
  const { meta, ...own } = pictured ? { ...small, photo } : small;
  const extensions = chosenExtensions(extension, selection, settings);
  return {
    ...own,
    ...(Object.keys(extensions).length > 0 && { extension: extensions }),
    ...(meta !== undefined && { meta }),
  };
}

/** What stays whatever `_elements` names. */
const always = ["type", "identifier", "_consent"];

function chosenMembers(core: JsonObject, { elements }: Selection): JsonObject {
  if (!elements) return core;
  const chosen: Record<string, Json> = {};
  for (const [member, value] of Object.entries(core)) {
    const kept =
      always.includes(member) || elements.has(member) ? value : chosenParts(member, value, elements);
    if (kept !== undefined) chosen[member] = kept;
  }
  return chosen;
}

/** Of an object the members named as `member.part`; of a list, the same of each item that has any. */
function chosenParts(member: string, value: Json, elements: ReadonlySet<string>): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.flatMap((item: Json) => chosenParts(member, item, elements) ?? []);
    return items.length > 0 ? items : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const parts = Object.entries(value).filter(([part]) => elements.has(`${member}.${part}`));
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

function chosenExtensions(
  extension: Json | undefined,
  { elements, extensions }: Selection,
  { policies }: Pick<Settings, "policies">,
): JsonObject {
  if (!isJsonObject(extension)) return {};
  const named = elements && [...elements].some((element) => /^extension(\.|$)/.test(element));
  const always = policies.extensions === "always" && (!elements || named);
  const chosen = Object.entries(extension).filter(([name]) => {
    const asked = always || extensions === "all" || extensions.has(name);
    return asked && (!named || elements.has("extension") || elements.has(`extension.${name}`));
  });
  return Object.fromEntries(chosen);
}
