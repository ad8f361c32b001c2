import * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { applyMergePatch } from "../merge/patch.ts";
import { failure, type Outcome, success } from "../problem.ts";
import { checkRecord, checkRegistrant, extensionMember, registrantMember } from "./farmer-data.ts";
import type { ChangeRequestType, CheckContext } from "./types.ts";

/** `edit_farmer`: a merge-patch (RFC 7396) of a registrant's extension `farmer`. */
export const editFarmer: ChangeRequestType = {
  name: "edit_farmer",
  summary:
    "Changes the extension farmer of a registrant by merge patch (RFC 7396): what is left out stays, null clears.",
  schema: z.strictObject({ ...registrantMember, farmer: extensionMember }),
  check: async (data, context) => {
    const declared = checkFarmer(context, {});
    if (!declared.ok) return declared;
    const extId = String(data.registrant_ext_id);
    const there = await checkRegistrant(context, extId);
    if (!there.ok) return there;
    const address = await context.addressOf("Individual", extId);
    const found = await context.lookup.individuals.read(address, { extensions: "farmer" });
    const before = found.ok ? (found.value.extension?.farmer ?? {}) : {};
    return checkFarmer(context, applyMergePatch(before, data.farmer as JsonObject) as JsonObject);
  },
  apply: async (data, context) => {
    const { view, addressOf, idempotency } = context;
    const extId = String(data.registrant_ext_id);
    const there = await checkRegistrant(context, extId);
    if (!there.ok) return there;
    const patch = { extension: { farmer: isJsonObject(data.farmer) ? data.farmer : {} } };
    const options = { ifMatch: "*", idempotency: idempotency() } as const;
    const written = await view.individuals.patch(await addressOf("Individual", extId), patch, options);
    return written.ok ? success({ registrantExtId: extId.toLowerCase() }) : failure(written.problem);
  },
};

function checkFarmer(context: CheckContext, farmer: JsonObject): Outcome<void> {
  const probe = {
    type: "Individual",
    identifier: [{ system: `urn:${context.namespace}:registrant`, value: "probe" }],
    name: { text: "probe" },
    extension: { farmer },
  };
  return checkRecord(context, probe, [["/extension/farmer", "/farmer"]]);
}
