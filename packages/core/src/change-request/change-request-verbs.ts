import { type Outcome, success } from "../problem.ts";
import { requireScope } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RegistryView } from "../registry/types.ts";
import { applyRequest } from "./apply.ts";
import { changeRequestOf, versionIdOf } from "./document.ts";
import { listRequests } from "./list.ts";
import { replaceRequest, reviewRequest } from "./move.ts";
import { findRequest, mayDecide, tellRequestsShown } from "./sight.ts";
import { submitDraftRequest, submitRequest } from "./submit.ts";
import { copyRequest, restoreRequest } from "./transfer.ts";
import type { ChangeRequestVerbs } from "./types.ts";

/**
 * Change requests, for one caller: contract section 6.
 *
 * @param viewOver the caller's view, over settings that differ by their store
 */
export function changeRequestVerbs(
  settings: Settings,
  caller: Caller,
  viewOver: (settings: Settings) => RegistryView,
): ChangeRequestVerbs {
  const reading = async <T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const allowed = requireScope(caller, "registry:read");
    return allowed.ok ? run() : allowed;
  };
  const writing = async <T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const allowed = requireScope(caller, "registry:write");
    return allowed.ok ? run() : allowed;
  };
  const deciding = <T>(run: () => Promise<Outcome<T>>) =>
    writing(async () => {
      const allowed = mayDecide(caller);
      return allowed.ok ? run() : allowed;
    });
  const reviewed = (review: Parameters<typeof reviewRequest>[2]) =>
    deciding(() => reviewRequest(settings, caller, review));
  return {
    submit: (body, options = {}) =>
      writing(() => submitRequest(settings, caller, { viewOver, body, options })),
    read: async (extId) => {
      const found = await reading(() => readRequest(settings, caller, extId));
      return found.ok ? success(found.value.record) : found;
    },
    disclose: (extId) => reading(() => readRequest(settings, caller, extId)),
    list: (request = {}) => reading(() => listRequests(settings, caller, request)),
    replace: (extId, body, options) =>
      writing(() => replaceRequest(settings, caller, { extId, body, options })),
    submitDraft: (extId, options = {}) =>
      writing(() => submitDraftRequest(settings, caller, { viewOver, extId, options })),
    approve: (extId, options) => reviewed({ extId, to: "approved", options }),
    reject: (extId, { reason } = {}, options) => reviewed({ extId, to: "rejected", reason, options }),
    revise: (extId, { reason } = {}, options) => reviewed({ extId, to: "revision", reason, options }),
    apply: (extId, options = {}) =>
      deciding(() => applyRequest(settings, caller, { viewOver, extId, options })),
    copy: async (extId) => {
      const allowed = requireScope(caller, "registry:read");
      return allowed.ok ? copyRequest(settings, caller, extId) : allowed;
    },
    restore: (copy) => deciding(() => restoreRequest(settings, caller, copy)),
  };
}

async function readRequest(
  settings: Settings,
  caller: Caller,
  extId: string,
): ReturnType<ChangeRequestVerbs["disclose"]> {
  const found = await findRequest(settings, caller, extId);
  if (!found.ok) return found;
  const shown = await changeRequestOf(settings, caller, found.value);
  tellRequestsShown(settings, caller, { action: "read", shown: [shown] });
  return success({ record: shown, versionId: versionIdOf(found.value) });
}
