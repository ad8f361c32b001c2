import { keyOf, modelOf } from "../benefits/ext-id.ts";
import type { JsonObject } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import type { Document, Expectation, StoredDocument } from "../store/port.ts";
import type { ChangeRequest, ChangeRequestState } from "./types.ts";

const collection = "change-request";

/** A change request at rest. */
export interface StoredChangeRequest {
  readonly key: string;
  readonly version: number;
  readonly body: {
    readonly type: string;
    readonly data: JsonObject;
    readonly status: ChangeRequestState;
    /** The client that submitted it. */
    readonly submittedBy: string;
    /** UTC instant. */
    readonly submitted_at: string;
    /** Key of the Individual that it is about, as far as that is known. */
    readonly registrant?: string;
    /** Why it was rejected. */
    readonly reason?: string;
  };
}

/** Builds the document of a change request. */
export function changeRequestDocument({ key, version, body }: StoredChangeRequest): Document {
  const entries = { status: [body.status], type: [body.type] };
  return { collection, key, version, body: body as unknown as JsonObject, entries };
}

/** The document is the one that was read; or, before the first version, not there. */
export function unchangedRequest(key: string, version: number): Expectation {
  const at = { collection, key };
  return version === 0 ? { kind: "absent", ...at } : { kind: "version", ...at, version };
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
  return document && stored(document);
}

function stored({ key, version, body }: StoredDocument): StoredChangeRequest {
  return { key, version, body: body as unknown as StoredChangeRequest["body"] };
}

/** A change request as the endpoints show it: never its data. */
export function changeRequestOf(
  settings: Pick<Settings, "namespace">,
  { key, body }: StoredChangeRequest,
): ChangeRequest {
  const { type, status, registrant, submitted_at } = body;
  return {
    ext_id: key,
    model: modelOf(settings, "change_request"),
    type,
    status,
    ...(registrant !== undefined && { registrant_ext_id: registrant }),
    submitted_at,
  };
}
