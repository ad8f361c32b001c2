import * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { failure, success } from "../problem.ts";
import { printReference, type RecordAddress } from "../resource/reference.ts";
import { nonEmptyLine } from "../resource/strings.ts";
import { relationshipSystem } from "../resource/vocabularies.ts";
import { checkRecord, checkRegistrant, extensionMember, registrantMember } from "./farmer-data.ts";
import type { ChangeRequestType } from "./types.ts";

/** `create_farm`: a Group of type `other` with the registrant as its head; `farm` is its extension of that name. */
export const createFarm: ChangeRequestType = {
  name: "create_farm",
  summary:
    "Adds a Group of the type other with the registrant as its head; farm is the Group's extension of that name.",
  schema: z.strictObject({
    ...registrantMember,
    name: nonEmptyLine(255),
    farm: extensionMember.exactOptional(),
  }),
  check: async (data, context) => {
    const probe = farmBody(data, {
      namespace: context.namespace,
      value: "probe",
      head: { system: "urn:p", value: "p" },
    });
    const valid = checkRecord(context, probe, [
      ["/name", "/name"],
      ["/extension/farm", "/farm"],
    ]);
    return valid.ok ? checkRegistrant(context, String(data.registrant_ext_id)) : valid;
  },
  apply: async (data, context) => {
    const { view, namespace, newId, idempotency, addressOf } = context;
    const extId = String(data.registrant_ext_id);
    const there = await checkRegistrant(context, extId);
    if (!there.ok) return there;
    const head = await addressOf("Individual", extId);
    // Nobody knows its identifier beforehand, so nobody can have taken it.
    const key = newId();
    const body = farmBody(data, { namespace, value: key, head });
    const entry = { verb: "create", type: "Group", key, body } as const;
    const written = await view.transaction([entry], { idempotency: idempotency() });
    return written.ok ? success({ registrantExtId: extId.toLowerCase() }) : failure(written.problem);
  },
};

function farmBody(
  { name, farm }: JsonObject,
  { namespace, value, head }: { namespace: string; value: string; head: RecordAddress },
): JsonObject {
  const role = { coding: [{ system: relationshipSystem(namespace), code: "head" }] };
  return {
    type: "Group",
    identifier: [{ system: `urn:${namespace}:group`, value }],
    groupType: "other",
    name: String(name),
    member: [{ entity: { reference: printReference("Individual", head) }, role }],
    ...(isJsonObject(farm) && { extension: { farm } }),
  };
}
