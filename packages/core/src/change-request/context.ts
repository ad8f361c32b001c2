import { keyOf } from "../benefits/ext-id.ts";
import { addressByKey, keyNamed } from "../benefits/find-record.ts";
import { unheardView } from "../benefits/unheard-view.ts";
import { validateTerms } from "../consent/terms.ts";
import type { JsonObject } from "../json.ts";
import type { Outcome } from "../problem.ts";
import type { Links } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import { isBound } from "../registry/sight.ts";
import type { Caller, RegistryView } from "../registry/types.ts";
import { canonicalReference, parseReference } from "../resource/reference.ts";
import { validateRecord } from "../resource/schemas.ts";
import { pinnedStore } from "./pinned-store.ts";
import type { ApplyContext, CheckContext } from "./types.ts";

/** What a type may look at. */
export function checkContext(settings: Settings, caller: Caller): CheckContext {
  return {
    namespace: settings.namespace,
    today: settings.today(),
    isRestricted: isBound(caller),
    lookup: unheardView(settings, caller),
    validate: (type, body) =>
      type === "Consent"
        ? (validateTerms(body, settings.schemas) as Outcome<JsonObject>)
        : validateRecord(type, body, settings.schemas),
    addressOf: (type, extId) => addressByKey(settings, type, keyOf(extId) ?? "none"),
    extIdOf: async (reference) => {
      const parsed = parseReference(reference);
      return parsed.ok ? keyNamed(settings, parsed.value.type, { reference }) : undefined;
    },
  };
}

interface Applied {
  readonly changeRequestId: string;
  /** The records that the references of its data mean. */
  readonly links: Links;
  readonly viewOver: (settings: Settings) => RegistryView;
}

/**
 * What a type may do, with the rights of the caller who applies it. What the data refer to, and what is addressed by `ext_id`, stays the
 * same record until it is done, also when somebody gives its identifiers to another in the meantime.
 */
export function applyContext(
  settings: Settings,
  caller: Caller,
  { changeRequestId, links, viewOver }: Applied,
): ApplyContext {
  const pins = new Map(Object.entries(links));
  const pinned = { ...settings, store: pinnedStore(settings.store, pins) };
  const context = checkContext(pinned, caller);
  return {
    ...context,
    addressOf: async (type, extId) => {
      const address = await context.addressOf(type, extId);
      const key = keyOf(extId);
      if (key !== undefined) pins.set(canonicalReference(type, address), key);
      return address;
    },
    view: viewOver(pinned),
    changeRequestId,
    newId: settings.newId,
    idempotency: (step = "apply") => ({
      key: `change-request:${changeRequestId}:${step}`,
      fingerprint: changeRequestId,
      scope: "registry",
    }),
  };
}
