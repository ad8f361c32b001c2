import { consentTermsSchema } from "../consent/terms.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import { parseReference } from "../resource/reference.ts";
import type { ChangeRequestType, CheckContext } from "./types.ts";

/**
 * `grant_consent`: records that a person, or a group, gave a consent. The data are its terms. The consent gets the id of the
 * change request, so that whoever asked for it can read and withdraw it. A restricted caller's request waits whoever its subject is:
 * `apply` tells the reviewer when there is no such record. Its evidence is the consent's alone from then on: who
 * erases it there leaves no copy here.
 */
export const grantConsent: ChangeRequestType = {
  name: "grant_consent",
  summary:
    "Records that a person, or a group, gave a consent; its terms are those of a Consent, and its id is the ext_id of the change request.",
  schema: consentTermsSchema,
  check: async (data, context) => {
    const terms = context.validate("Consent", data);
    if (!terms.ok) return terms;
    return context.isRestricted ? success(undefined) : checkSubject(data, context);
  },
  apply: async (data, context) => {
    const { view, extIdOf, idempotency, changeRequestId: id } = context;
    const there = await checkSubject(data, context);
    if (!there.ok) return there;
    const granted = await view.consents.grant(data, { id, idempotency: idempotency() });
    if (!granted.ok) return granted;
    const subject = subjectOf(data);
    const key = subject.startsWith("Individual/") ? await extIdOf(subject) : undefined;
    return success({ ...(key !== undefined && { registrantExtId: key }), forgets: ["evidence"] });
  },
};

/** Refuses a subject that is not there, or not for the caller; and one that is archived, to who sees that. */
async function checkSubject(data: JsonObject, { lookup }: CheckContext): Promise<Outcome<void>> {
  const reference = parseReference(subjectOf(data));
  if (!reference.ok) return reference;
  const { type, ...address } = reference.value;
  const verbs = type === "Group" ? lookup.groups : lookup.individuals;
  const found = await verbs.disclose(address);
  if (!found.ok) return refusal("unknown_reference", "does not exist; create it first");
  if (found.value.record.active !== false) return success(undefined);
  return refusal("archived", "is archived; reactivate the record first");
}

function refusal(code: string, message: string): Outcome<never> {
  return failure(invalid([{ field: "/subject/reference", code, message }]));
}

function subjectOf({ subject }: JsonObject): string {
  return isJsonObject(subject) ? String(subject.reference) : "";
}
