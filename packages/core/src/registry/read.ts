import type { History } from "../audit/types.ts";
import { shownFields, type Visibility, visiblePart } from "../consent/visibility.ts";
import type { JsonObject } from "../json.ts";
import { type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import { findVisible } from "./find-visible.ts";
import { checkReadOptions, present } from "./present.ts";
import { render } from "./record/render.ts";
import { mayUse } from "./scopes.ts";
import type { Settings } from "./settings.ts";
import type { Address, Caller, Disclosed, Disclosure, ReadOptions } from "./types.ts";
import { versionOf } from "./write/precondition.ts";

interface ReadRequest {
  readonly type: ResourceType;
  readonly address: Address;
  readonly options: ReadOptions;
}

/** Reads one record by any of its identifiers. */
export async function read(
  settings: Settings,
  caller: Caller,
  request: ReadRequest,
): Promise<Outcome<JsonObject>> {
  const found = await disclose(settings, caller, request);
  return found.ok ? success(found.value.record) : found;
}

/** The versions of one record: contract section 5. */
export async function history(
  settings: Settings,
  caller: Caller,
  { type, address }: { readonly type: ResourceType; readonly address: Address },
): Promise<Outcome<History>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const found = await findVisible(settings, caller, { type, address });
  if (!found.ok) return found;
  const { stored, visibility } = found.value;
  const versions = (await settings.governance?.history(settings, found.value)) ?? { data: [] };
  const record = visiblePart(stored.record, visibility);
  settings.governance?.tellRead(settings, caller, {
    action: "read",
    shown: [{ type, key: stored.key, record, visibility }],
  });
  return success(versions);
}

/** Reads one record, and says under which right. */
export async function disclose(
  settings: Settings,
  caller: Caller,
  { type, address, options }: ReadRequest,
): Promise<Outcome<Disclosed<JsonObject>>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const understood = checkReadOptions([type], options, settings);
  if (!understood.ok) return understood;
  const found = await findVisible(settings, caller, { type, address });
  if (!found.ok) return found;
  const { stored, visibility, groups } = found.value;
  const context = { store: settings.store, today: settings.today(), ...(groups && { groups }) };
  const [whole = {}] = await render([stored], context);
  const record = present({ type, record: whole, visibility }, { ...options, photo: true }, settings);
  settings.governance?.tellRead(settings, caller, {
    action: "read",
    shown: [{ type, key: stored.key, record, visibility }],
  });
  const shows = shownFields(visibility);
  return success({
    record,
    ...(shows && { shows }),
    ...(visibility.basis !== "none" && { versionId: versionOf(stored.record), key: stored.key }),
    disclosure: disclosureOf(visibility),
  });
}

function disclosureOf(visibility: Visibility): Disclosure {
  const { basis, expires } = visibility;
  const shown = (shownFields(visibility) ?? ["all"]).filter((field) => field !== "extension");
  return { status: basis, scope: basis === "none" ? [] : shown, ...(expires !== undefined && { expires }) };
}
