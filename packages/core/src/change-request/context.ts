import { keyOf } from "../benefits/ext-id.ts";
import { addressByKey, keyNamed } from "../benefits/find-record.ts";
import { unheardView } from "../benefits/unheard-view.ts";
import type { Links } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import { canonicalReference, parseReference } from "../resource/reference.ts";
import { validateRecord } from "../resource/schemas.ts";
import type { ApplyContext, CheckContext } from "./types.ts";

/**
 * What a type may look at.
 *
 * @param links the records that the references of its data mean
 */
export function checkContext(settings: Settings, caller: Caller, links: Links): CheckContext {
  return {
    namespace: settings.namespace,
    today: settings.today(),
    lookup: unheardView(settings, caller),
    validate: (type, body) => validateRecord(type, body, settings.schemas),
    addressOf: (type, extId) => addressByKey(settings, type, keyOf(extId) ?? "none"),
    extIdOf: async (reference) => {
      const parsed = parseReference(reference);
      if (!parsed.ok) return undefined;
      const { type } = parsed.value;
      return links[canonicalReference(type, parsed.value)] ?? keyNamed(settings, type, { reference });
    },
  };
}

/** What a type may do, with the rights of the caller who applies it. */
export function applyContext(
  settings: Settings,
  caller: Caller,
  {
    view,
    changeRequestId,
    links,
  }: Pick<ApplyContext, "view" | "changeRequestId"> & { readonly links: Links },
): ApplyContext {
  return {
    ...checkContext(settings, caller, links),
    view,
    changeRequestId,
    newId: settings.newId,
    idempotency: (step = "apply") => ({
      key: `change-request:${changeRequestId}:${step}`,
      fingerprint: changeRequestId,
      scope: "registry",
    }),
  };
}
