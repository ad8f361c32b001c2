import { auditPart } from "../benefits/audit-part.ts";
import { type Changed, commitChange } from "../benefits/commit-change.ts";
import { checkMove } from "../benefits/states.ts";
import { type Outcome, success } from "../problem.ts";
import { requireScope } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Idempotency, RegistryView } from "../registry/types.ts";
import { applyRequest } from "./apply.ts";
import { checkContext } from "./context.ts";
import {
  changeRequestDocument,
  changeRequestOf,
  type StoredChangeRequest,
  unchangedRequest,
} from "./document.ts";
import { checkData, readData, registrantOfData, typeNamed } from "./read-request.ts";
import { findRequest, mayDecide, tellRequestRead } from "./sight.ts";
import { changeRequestMoves } from "./states.ts";
import { submitRequest } from "./submit.ts";
import type { ChangeRequest, ChangeRequestState, ChangeRequestVerbs } from "./types.ts";

/** Change requests, for one caller: contract section 6. */
export function changeRequestVerbs(
  settings: Settings,
  caller: Caller,
  view: () => RegistryView,
): ChangeRequestVerbs {
  const writing = async <T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const allowed = requireScope(caller, "registry:write");
    return allowed.ok ? run() : allowed;
  };
  const deciding = <T>(run: () => Promise<Outcome<T>>) =>
    writing(async () => {
      const allowed = mayDecide(caller);
      return allowed.ok ? run() : allowed;
    });
  const moved = (extId: string, move: Move) => deciding(() => moveRequest(settings, caller, { extId, move }));
  return {
    submit: (body, options = {}) =>
      writing(() => submitRequest(settings, caller, { view, body, idempotency: options.idempotency })),
    read: async (extId) => {
      const allowed = requireScope(caller, "registry:read");
      return allowed.ok ? readRequest(settings, caller, extId) : allowed;
    },
    approve: (extId, options = {}) => moved(extId, { to: "approved", idempotency: options.idempotency }),
    reject: (extId, { reason } = {}, options = {}) =>
      moved(extId, { to: "rejected", reason, idempotency: options.idempotency }),
    apply: (extId, options = {}) =>
      deciding(() => applyRequest(settings, caller, { view, extId, idempotency: options.idempotency })),
    move: (extId, to, { data } = {}) =>
      writing(async () => {
        const answer = recordOf(await moveRequest(settings, caller, { extId, move: { to, data } }));
        if (!answer.ok || answer.value.status !== "pending") return answer;
        const type = typeNamed(settings, answer.value.type);
        if (!type.ok || !type.value.auto || !mayDecide(caller).ok) return answer;
        const approved = await moveRequest(settings, caller, { extId, move: { to: "approved" } });
        return approved.ok
          ? recordOf(await applyRequest(settings, caller, { view, extId, idempotency: undefined }))
          : approved;
      }),
  };
}

function recordOf<T extends object>(changed: Outcome<Changed<T>>): Outcome<T> {
  return changed.ok ? success(changed.value.record) : changed;
}

async function readRequest(
  settings: Settings,
  caller: Caller,
  extId: string,
): Promise<Outcome<ChangeRequest>> {
  const found = await findRequest(settings, caller, extId);
  if (!found.ok) return found;
  tellRequestRead(settings, caller, found.value);
  return success(changeRequestOf(settings, found.value));
}

interface Move {
  readonly to: ChangeRequestState;
  readonly reason?: string | undefined;
  readonly data?: unknown;
  readonly idempotency?: Idempotency | undefined;
}

/** Moves a request; new data are checked as if it were submitted anew. */
function moveRequest(
  settings: Settings,
  caller: Caller,
  { extId, move }: { readonly extId: string; readonly move: Move },
): Promise<Outcome<Changed<ChangeRequest>>> {
  const { to, reason, idempotency } = move;
  return commitChange(settings, caller, {
    idempotency,
    decide: async () => {
      const found = await findRequest(settings, caller, extId);
      if (!found.ok) return found;
      const { key, version, body } = found.value;
      const from = body.status;
      const allowed = checkMove(changeRequestMoves, { what: "change request", from, to });
      if (!allowed.ok) return allowed;
      const told = await withData(settings, caller, { body, data: move.data });
      if (!told.ok) return told;
      const after: StoredChangeRequest = {
        key,
        version: version + 1,
        body: { ...told.value, status: to, ...(reason !== undefined && { reason }) },
      };
      const own = { expect: [unchangedRequest(key, version)], put: [changeRequestDocument(after)] };
      const undo = { status: from, ...(told.value !== body && { data: body.data }) };
      const fields = Object.keys(undo);
      const record = `ChangeRequest/${key}`;
      const entry = { action: "change", record, version: after.version, fields, undo, reason } as const;
      const audit = auditPart(settings, caller, entry);
      return success({ parts: [own, audit], record: changeRequestOf(settings, after) });
    },
  });
}

type Body = StoredChangeRequest["body"];

async function withData(
  settings: Settings,
  caller: Caller,
  { body, data }: { readonly body: Body; readonly data: unknown },
): Promise<Outcome<Body>> {
  if (data === undefined) return success(body);
  const type = typeNamed(settings, body.type);
  if (!type.ok) return type;
  const read = readData(type.value, data);
  if (!read.ok) return read;
  const checked = await checkData({ type: type.value, data: read.value }, checkContext(settings, caller));
  if (!checked.ok) return checked;
  const { registrant: _, ...rest } = body;
  const registrant = registrantOfData(read.value);
  return success({ ...rest, data: read.value, ...(registrant !== undefined && { registrant }) });
}
