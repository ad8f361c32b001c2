import type { Unkept } from "../benefits/commit-change.ts";
import { keyOf, modelOf } from "../benefits/ext-id.ts";
import { isExempt } from "../consent/visible-fields.ts";
import type { JsonObject } from "../json.ts";
import type { Links } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { Document, Expectation, StoredDocument } from "../store/port.ts";
import { shownData } from "./linked-data.ts";
import type { ChangeRequest, ChangeRequestState } from "./types.ts";

/** Where change requests are kept; the key of each is its `ext_id`. */
export const changeRequestCollection = "change-request";

const collection = changeRequestCollection;

/** A change request at rest. */
export interface StoredChangeRequest {
  readonly key: string;
  readonly version: number;
  readonly body: {
    readonly type: string;
    /** As they were written: a name that a record got since is shown to who sees the record, and never kept. */
    readonly data: JsonObject;
    /**
     * The records that references in the data mean, by these as they are written. A request that an earlier version kept has
     * none: its references mean whom they name.
     */
    readonly links?: Links;
    readonly status: ChangeRequestState;
    /** The client that submitted it. */
    readonly submittedBy: string;
    /** UTC instant. */
    readonly submitted_at: string;
    /** Key of the Individual that it is about, as far as that is known. */
    readonly registrant?: string;
    /** Who approved or rejected it or asked for a revision, when (UTC instant), and why. */
    readonly reviewedBy?: string;
    readonly reviewed_at?: string;
    readonly reason?: string;
  };
}

/** Builds the document of a change request, found by its status, its type and who submitted it. */
export function changeRequestDocument({ key, version, body }: StoredChangeRequest): Document {
  const entries = { status: [body.status], type: [body.type], submitter: [body.submittedBy] };
  return { collection, key, version, body: body as unknown as JsonObject, entries };
}

/** The document is the one that was read; or, before the first version, not there. */
export function unchangedRequest(key: string, version: number): Expectation {
  const at = { collection, key };
  return version === 0 ? { kind: "absent", ...at } : { kind: "version", ...at, version };
}

/** The version of a request, as its callers know it. */
export function versionIdOf({ version }: StoredChangeRequest): string {
  return String(version);
}

/** Names the document of a change request. */
export function changeRequestKey(key: string) {
  return { collection, key };
}

/** The change request with an `ext_id`, if there is one. */
export async function loadChangeRequest(
  { store }: Pick<Settings, "store">,
  extId: string,
): Promise<StoredChangeRequest | undefined> {
  const key = keyOf(extId);
  const [document] = key === undefined ? [] : await store.get([{ collection, key }]);
  return document && storedRequest(document);
}

/** Reads a change request back from its document. */
export function storedRequest({ key, version, body }: StoredDocument): StoredChangeRequest {
  return { key, version, body: body as unknown as StoredChangeRequest["body"] };
}

/** A change request as lists show it: without its data. */
export function summaryOf(
  settings: Pick<Settings, "namespace">,
  { key, body }: StoredChangeRequest,
): ChangeRequest {
  const { type, status, registrant, submittedBy, submitted_at, reviewedBy, reviewed_at, reason } = body;
  return {
    ext_id: key,
    model: modelOf(settings, "change_request"),
    type,
    status,
    ...(registrant !== undefined && { registrant_ext_id: registrant }),
    submitted_at,
    submitted_by: submittedBy,
    ...(reviewed_at !== undefined && { reviewed_at }),
    ...(reviewedBy !== undefined && { reviewed_by: reviewedBy }),
    ...(reason !== undefined && { reason }),
  };
}

/** A change request as a caller is shown it, with its data where the caller may see those. */
export async function changeRequestOf(
  settings: Settings,
  caller: Caller,
  stored: StoredChangeRequest,
): Promise<ChangeRequest> {
  const summary = summaryOf(settings, stored);
  if (!maySeeData(caller, stored)) return summary;
  return { ...summary, data: await shownData(settings, caller, stored.body) };
}

/** The data are kept with the request alone: what it forgets once it is applied no stored answer may keep. */
export function unkeptData(settings: Settings, caller: Caller): Unkept<ChangeRequest> {
  return {
    without: ({ data: _, ...record }) => record,
    restored: async (record) => {
      const { data: _, ...rest } = record;
      const stored = await loadChangeRequest(settings, record.ext_id);
      if (!stored || !maySeeData(caller, stored)) return rest;
      return { ...rest, data: await shownData(settings, caller, stored.body) };
    },
  };
}

/**
 * What a request asks for is about persons. Who is limited, by consent or to some fields, sees the data that it sent itself,
 * and of others none: no consent says what of a request it covers.
 */
export function maySeeData(caller: Caller, { body }: StoredChangeRequest): boolean {
  return body.submittedBy === caller.clientId || (isExempt(caller) && caller.fields === undefined);
}
