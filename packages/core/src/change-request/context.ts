import { keyOf } from "../benefits/ext-id.ts";
import { addressByKey, keyNamed } from "../benefits/find-record.ts";
import { unheardView } from "../benefits/unheard-view.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RegistryView } from "../registry/types.ts";
import { parseReference } from "../resource/reference.ts";
import { validateRecord } from "../resource/schemas.ts";
import type { ApplyContext, CheckContext } from "./types.ts";

/** What a type may look at. */
export function checkContext(settings: Settings, caller: Caller): CheckContext {
  return {
    namespace: settings.namespace,
    today: settings.today(),
    lookup: unheardView(settings, caller),
    validate: (type, body) => validateRecord(type, body, settings.schemas),
    addressOf: (type, extId) => addressByKey(settings, type, keyOf(extId) ?? "none"),
    extIdOf: async (reference) => {
      const parsed = parseReference(reference);
      return parsed.ok ? keyNamed(settings, parsed.value.type, { reference }) : undefined;
    },
  };
}

/** What a type may do, with the rights of the caller who applies it. */
export function applyContext(
  settings: Settings,
  caller: Caller,
  { view, changeRequestId }: { readonly view: RegistryView; readonly changeRequestId: string },
): ApplyContext {
  return {
    ...checkContext(settings, caller),
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
