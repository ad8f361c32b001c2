import type { Versions } from "../audit/record-history.ts";
import type { History } from "../audit/types.ts";
import type { ListRequest } from "../benefits/types.ts";
import { shownFields, type Visibility, visiblePart } from "../consent/visibility.ts";
import type { JsonObject } from "../json.ts";
import { type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import { viewOf } from "./feed/changes.ts";
import { findVisible } from "./find-visible.ts";
import { checkReadOptions, present } from "./present.ts";
import { render } from "./record/render.ts";
import { shownPhotos } from "./record/stored-photo.ts";
import { mayUse } from "./scopes.ts";
import { readCursor, writeCursor } from "./search/cursor.ts";
import { limitOf } from "./search/one-parameter.ts";
import type { Settings } from "./settings.ts";
import type { Address, Caller, Disclosed, Disclosure, ReadOptions } from "./types.ts";
import { versionOf } from "./write/precondition.ts";

interface ReadRequest {
  readonly type: ResourceType;
  readonly address: Address;
  readonly options: ReadOptions;
}

interface HistoryOf {
  readonly type: ResourceType;
  readonly address: Address;
  readonly request: ListRequest;
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

/** A page of the versions of one record: contract section 5. */
export async function history(
  settings: Settings,
  caller: Caller,
  { type, address, request }: HistoryOf,
): Promise<Outcome<History>> {
  const allowed = mayUse(settings, caller, { type, access: "read" });
  if (!allowed.ok) return allowed;
  const limit = limitOf(request.limit);
  if (!limit.ok) return limit;
  const found = await findVisible(settings, caller, { type, address });
  if (!found.ok) return found;
  const { stored, visibility } = found.value;
  const belongsTo = `history\n${type}/${stored.key}\n${viewOf(caller)}`;
  const below = versionOfCursor(belongsTo, request.cursor);
  if (!below.ok) return below;
  const asked = { limit: limit.value, below: below.value };
  const none: Versions = { data: [] };
  const { data, next, complete } = (await settings.governance?.history(settings, found.value, asked)) ?? none;
  const record = visiblePart(stored.record, visibility);
  settings.governance?.tellRead(settings, caller, {
    action: "read",
    shown: [{ type, key: stored.key, record, visibility }],
  });
  return success({
    data,
    hasMore: next !== undefined,
    ...(next !== undefined && { nextCursor: writeCursor(belongsTo, next) }),
    ...(complete === false && { complete }),
  });
}

/** The version that a page ended with; without a cursor, all are below. */
function versionOfCursor(belongsTo: string, cursor: string | undefined): Outcome<number> {
  if (cursor === undefined) return success(Number.POSITIVE_INFINITY);
  const version = readCursor(belongsTo, cursor);
  return version.ok ? success(Number(version.value)) : version;
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
  const presented = present({ type, record: whole, visibility }, { ...options, photo: true }, settings);
  const [record = presented] = await shownPhotos(settings, [presented]);
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
