import type { JsonObject } from "@fieldroll/core";
import { type Doors, said } from "./doors.ts";
import { type Case, id, ref, wordsAt } from "./verb-case.ts";

const terms = (more: object = {}): JsonObject => ({
  subject: ref("ana"),
  grantee: { organization: "Hope" },
  scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name.family", "birthDate"] }],
  ...more,
});
const scope = (more: object) => ({ scope: [{ resourceType: "Individual", ...more }] });

/** Terms by the method, by a change request from its submission on, and by a line. */
function consentCases(rule: string, violating: JsonObject, faults: readonly string[]): readonly Case[] {
  const line = (body: JsonObject) => ({ type: "Consent", id: id(1), status: "given", ...body });
  const submit = ({ request }: Doors, data: JsonObject) =>
    request("POST", "/change_request", { type: "grant_consent", data });
  return [
    {
      rule,
      door: "consents.grant",
      faults,
      violating: async ({ view }) => said(await view.consents.grant(violating)),
      sound: async ({ view }) => said(await view.consents.grant(terms())),
    },
    {
      rule,
      door: "grant_consent",
      faults: faults.map((fault) => `/data${fault}`),
      violating: (doors) => submit(doors, violating),
      sound: (doors) => submit(doors, terms()),
    },
    {
      rule,
      door: "import",
      faults: wordsAt(faults),
      violating: ({ importLines }) => importLines(line(violating)),
      sound: ({ importLines }) => importLines(line(terms())),
    },
  ];
}

export const ofConsents: readonly Case[] = [
  ...consentCases(
    "a consent names fields that records have",
    terms(scope({ fieldAccess: "custom", fields: ["nosuch", "name.first", "name"] })),
    ["/scope/0/fields/0 unknown_field", "/scope/0/fields/1 unknown_field"],
  ),
  ...consentCases(
    "a consent of all fields names none",
    terms(scope({ fieldAccess: "all", fields: ["name"] })),
    ["/scope/0/fields invalid_value"],
  ),
  ...consentCases(
    "a consent ends after it began",
    terms({ effectiveDate: "2026-02-01", expiryDate: "2026-01-01" }),
    ["/expiryDate invalid_period"],
  ),
  ...consentCases("a consent is given to somebody", terms({ grantee: {} }), ["/grantee required"]),
  ...consentCases("a consent is given by somebody who is there", terms({ subject: ref("nobody") }), [
    "/subject/reference unknown_reference",
  ]),
];
