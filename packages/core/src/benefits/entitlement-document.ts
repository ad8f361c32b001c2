import type { JsonObject } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import type { Document, Store, StoredDocument } from "../store/port.ts";
import { keyOf, modelOf } from "./ext-id.ts";
import type { Entitlement, EntitlementState, Money } from "./types.ts";

/** Where entitlements are kept; the key of each is its `ext_id`. */
export const entitlementCollection = "entitlement";

/** An entitlement at rest. */
export interface StoredEntitlement {
  readonly key: string;
  readonly version: number;
  readonly body: {
    /** Keys of the program, the cycle and the Individual. */
    readonly program: string;
    readonly cycle: string;
    readonly registrant: string;
    readonly amount: Money;
    readonly valid_from: string | null;
    readonly valid_until: string | null;
    readonly state: EntitlementState;
    readonly approved_at: string | null;
    readonly ern: string;
  };
  /** What no other entitlement may have: its `ern`, and what stands for an id where its writer gave none. */
  readonly claims: readonly string[];
}

/** Builds the document of an entitlement, found by its registrant, its program, its cycle and its state. */
export function entitlementDocument({ key, version, body, claims }: StoredEntitlement): Document {
  const { registrant, program, cycle, state } = body;
  const entries = { registrant: [registrant], program: [program], cycle: [cycle], state: [state] };
  const content = body as unknown as JsonObject;
  return { collection: entitlementCollection, key, version, body: content, claims: [...claims], entries };
}

/**
 * What no other entitlement may have.
 *
 * @param nameless whether its writer gave it no id of any kind: then its content stands for one
 */
export function entitlementClaims(body: StoredEntitlement["body"], nameless: boolean): readonly string[] {
  const { cycle, registrant, amount, valid_from, valid_until, ern } = body;
  const days = `${valid_from ?? ""}/${valid_until ?? ""}`;
  const content = `${cycle}|${registrant}|${amount.value} ${amount.currency}|${days}`;
  return [`ern:${ern}`, ...(nameless ? [`entitlement:${content}`] : [])];
}

/** The document of the same entitlement once more. Whether its content stands for an id is told by its claims alone. */
export function entitlementDocumentAgain(stored: StoredDocument): Document {
  const found = storedEntitlement(stored);
  const nameless = entitlementClaims(found.body, true).at(-1) ?? "";
  const claims = entitlementClaims(found.body, found.claims.includes(nameless));
  return entitlementDocument({ ...found, claims });
}

/** Reads an entitlement back from its document. */
export function storedEntitlement({ key, version, body, claims }: StoredDocument): StoredEntitlement {
  return { key, version, body: body as unknown as StoredEntitlement["body"], claims };
}

/** The entitlement with an `ext_id`, if there is one. */
export async function loadEntitlement(
  { store }: { readonly store: Pick<Store, "get"> },
  extId: string,
): Promise<StoredEntitlement | undefined> {
  const key = keyOf(extId);
  const [document] = key === undefined ? [] : await store.get([{ collection: entitlementCollection, key }]);
  return document && storedEntitlement(document);
}

/** An entitlement as the endpoints show it. */
export function entitlementOf(
  settings: Pick<Settings, "namespace">,
  { key, body }: StoredEntitlement,
): Entitlement {
  const { program, cycle, registrant, ...rest } = body;
  return {
    ext_id: key,
    model: modelOf(settings, "entitlement"),
    program_ext_id: program,
    program_model: modelOf(settings, "program"),
    cycle_ext_id: cycle,
    cycle_model: modelOf(settings, "cycle"),
    registrant_ext_id: registrant,
    registrant_model: modelOf(settings, "registrant"),
    ...rest,
  };
}
