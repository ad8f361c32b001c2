import * as z from "zod";
import { individualBody, type RegistrantInput, registrantMembers } from "../benefits/registrant-input.ts";
import type { JsonObject } from "../json.ts";
import { failure, success } from "../problem.ts";
import { identifiersOf } from "../registry/record/stored.ts";
import { checkRecord, extensionMember } from "./farmer-data.ts";
import type { ChangeRequestType } from "./types.ts";

/** `add_farmer`: a new registrant with the extension `farmer`. */
export const addFarmer: ChangeRequestType = {
  name: "add_farmer",
  summary: "Adds a registrant with the extension farmer.",
  schema: z.strictObject({ ...registrantMembers, farmer: extensionMember }),
  check: async (data, context) =>
    checkRecord(context, farmerBody(data, context.namespace, "new"), [
      ["/name/text", "/name"],
      ["/name", "/name"],
      ["/birthDate", "/birthdate"],
      ["/gender", "/gender"],
      ["/extension/farmer", "/farmer"],
    ]),
  apply: async (data, { view, namespace, newId, idempotency }) => {
    const key = newId();
    const body = farmerBody(data, namespace, key);
    const entry = { verb: "create", type: "Individual", key, body } as const;
    const written = await view.transaction([entry], { idempotency: idempotency() });
    if (!written.ok) return failure(written.problem);
    // A repeated apply is answered with the person of the first.
    const identifiers = identifiersOf(written.value[0]?.record ?? {});
    const made = identifiers.find(({ system }) => system === registrantSystem(namespace));
    return success({ registrantExtId: made?.value ?? key });
  },
};

function farmerBody(data: JsonObject, namespace: string, key: string): JsonObject {
  const { farmer = {}, ...person } = data;
  const body = individualBody(person as unknown as RegistrantInput, registrantSystem(namespace), key);
  return { ...body, extension: { farmer } };
}

function registrantSystem(namespace: string): string {
  return `urn:${namespace}:registrant`;
}
