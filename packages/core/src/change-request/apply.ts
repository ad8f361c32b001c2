import { auditPart } from "../benefits/audit-part.ts";
import { type Changed, commitChange } from "../benefits/commit-change.ts";
import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RegistryView, WriteOptions } from "../registry/types.ts";
import { applyContext } from "./context.ts";
import {
  changeRequestDocument,
  changeRequestOf,
  type StoredChangeRequest,
  unchangedRequest,
  unkeptData,
  versionIdOf,
} from "./document.ts";
import { linkData, mayNameAll } from "./linked-data.ts";
import { belowData, typeNamed } from "./read-request.ts";
import { findExpected, findRequest } from "./sight.ts";
import { checkRequestMove } from "./states.ts";
import type { ChangeRequest } from "./types.ts";

interface Applying {
  readonly viewOver: (settings: Settings) => RegistryView;
  readonly extId: string;
  readonly options?: WriteOptions;
}

/**
 * Makes the change that a request asks for, and says so. The two are two commits; the change carries an idempotency key made
 * of the request, so that a crash between them, or another who applies it at the same time, does not make it twice.
 */
export function applyRequest(
  settings: Settings,
  caller: Caller,
  { viewOver, extId, options: { ifMatch, idempotency } = {} }: Applying,
): Promise<Outcome<Changed<ChangeRequest>>> {
  return commitChange(settings, caller, {
    unkept: unkeptData(settings, caller),
    idempotency,
    mayHear: () => findRequest(settings, caller, extId),
    decide: async () => {
      const found = await findExpected(settings, caller, { extId, ifMatch });
      if (!found.ok) return found;
      const { key, version, body } = found.value;
      const allowed = checkRequestMove(body.status, "applied");
      if (!allowed.ok) return allowed;
      const type = typeNamed(settings, body.type);
      if (!type.ok) return type;
      const named = mayNameAll(caller, body.data);
      if (!named.ok) return named;
      const linked = await linkData(settings, body.data, body.links);
      if (!linked.ok) return failure(belowData(linked.problem));
      const { data, links } = linked.value.present;
      const context = applyContext(settings, caller, { changeRequestId: key, links, viewOver });
      const made = await type.value.apply(data, context);
      if (!made.ok) return failure(belowData(made.problem));
      const registrant = made.value.registrantExtId ?? body.registrant;
      const after: StoredChangeRequest = {
        key,
        version: version + 1,
        body: {
          ...body,
          data: without(body.data, made.value.forgets),
          status: "applied",
          ...(registrant !== undefined && { registrant }),
        },
      };
      const own = { expect: [unchangedRequest(key, version)], put: [changeRequestDocument(after)] };
      const record = `ChangeRequest/${key}`;
      const undo = { status: body.status, registrant: body.registrant ?? null };
      const entry = {
        action: "change",
        record,
        version: after.version,
        fields: Object.keys(undo),
        undo,
      } as const;
      return success({
        parts: [own, auditPart(settings, caller, entry)],
        record: await changeRequestOf(settings, caller, after),
        versionId: versionIdOf(after),
      });
    },
  });
}

function without(data: JsonObject, names: readonly string[] = []): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
}
