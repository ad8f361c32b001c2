import { describe, expect, it } from "vitest";
import type { Caller } from "../registry/types.ts";
import type { ConsentScope } from "./types.ts";
import {
  type ConsentedRecord,
  type ConsentFacts,
  exemptLegalBases,
  visibleFields,
} from "./visible-fields.ts";

const today = "2026-06-15";
const ngo: Caller = { clientId: "ngo", scopes: [], organization: "Relief", organizationType: "ngo" };
const person: ConsentedRecord = { type: "Individual", key: "p", groups: ["h"] };
const household: ConsentedRecord = { type: "Group", key: "h", groups: [] };
const enrollment: ConsentedRecord = { type: "ProgramMembership", key: "m", beneficiary: "p", groups: ["h"] };

const scope = (more: Partial<ConsentScope> = {}): ConsentScope => ({
  resourceType: "Individual",
  fieldAccess: "basic",
  ...more,
});
const consent = (more: Partial<ConsentFacts> = {}): ConsentFacts => ({
  id: "c",
  subject: "p",
  grantee: { organization: "Relief" },
  scope: [scope()],
  status: "given",
  effectiveDate: "2026-01-01",
  ...more,
});
const custom = (...fields: string[]) => [scope({ fieldAccess: "custom", fields })];
const basic = ["active", "identifier", "meta", "name", "type"];
const none: string[] = ["none", "identifier", "type"];

interface Case {
  readonly caller?: Partial<Caller>;
  readonly record?: ConsentedRecord;
  readonly consents: readonly ConsentFacts[];
  /** Basis, then the fields in order, then `+` the extensions. */
  readonly sees: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "nothing without a consent": { consents: [], sees: none },
  "the basic fields under basic": { consents: [consent()], sees: ["active", ...basic] },
  "the listed fields and the identifier under custom": {
    consents: [consent({ scope: custom("birthDate") })],
    sees: ["active", "birthDate", "identifier", "type"],
  },
  "every core field under all, and no extension": {
    consents: [consent({ scope: [scope({ fieldAccess: "all" })] })],
    sees: ["active", "all"],
  },
  "an extension by its own entry": {
    consents: [consent({ scope: [scope({ fieldAccess: "all", extensions: ["farmer"] })] })],
    sees: ["active", "all", "+farmer"],
  },
  "no extension by a field of its name": {
    consents: [consent({ scope: custom("extension.farmer", "extension") })],
    sees: ["active", "identifier", "type"],
  },
  "what any of several consents shows": {
    consents: [consent({ scope: custom("birthDate") }), consent({ id: "d", scope: custom("gender") })],
    sees: ["active", "birthDate", "gender", "identifier", "type"],
  },
  "by a consent of the organization's type": {
    consents: [consent({ grantee: { organizationType: "ngo" } })],
    sees: ["active", ...basic],
  },
  "nothing by a consent for another organization": {
    consents: [consent({ grantee: { organization: "Other" } })],
    sees: none,
  },
  "nothing by a consent of another person": { consents: [consent({ subject: "q" })], sees: none },
  "a member by the consent of an active group": {
    consents: [consent({ subject: "h" })],
    sees: ["active", ...basic],
  },
  "nothing by the consent of a group that the person is not in": {
    record: { ...person, groups: [] },
    consents: [consent({ subject: "h" })],
    sees: none,
  },
  "no group by the consent of its member": {
    record: household,
    consents: [consent({ scope: [scope({ resourceType: "all" })] })],
    sees: none,
  },
  "a group by its own consent": {
    record: household,
    consents: [consent({ subject: "h", scope: [scope({ resourceType: "Group" })] })],
    sees: ["active", ...basic],
  },
  "a membership by its beneficiary's consent": {
    record: enrollment,
    consents: [consent({ scope: [scope({ resourceType: "ProgramMembership", fieldAccess: "all" })] })],
    sees: ["active", "all"],
  },
  "a membership by the consent of the beneficiary's group": {
    record: enrollment,
    consents: [consent({ subject: "h", scope: [scope({ resourceType: "all", fieldAccess: "all" })] })],
    sees: ["active", "all"],
  },
  "no membership by a consent about the person alone": {
    record: enrollment,
    consents: [consent()],
    sees: none,
  },
  "on the first day": { consents: [consent({ effectiveDate: today })], sees: ["active", ...basic] },
  "not before the first day": { consents: [consent({ effectiveDate: "2026-06-16" })], sees: none },
  "on the last day": { consents: [consent({ expiryDate: today })], sees: ["active", ...basic] },
  "not after the last day": { consents: [consent({ expiryDate: "2026-06-14" })], sees: none },
  "by a renewed consent": { consents: [consent({ status: "renewed" })], sees: ["active", ...basic] },
  "nothing by a requested consent": { consents: [consent({ status: "requested" })], sees: none },
  "nothing by a withdrawn consent": { consents: [consent({ status: "withdrawn" })], sees: none },
  "for the purpose that the consent names": {
    caller: { purpose: "research" },
    consents: [consent({ purpose: "research" })],
    sees: ["active", ...basic],
  },
  "nothing for another purpose": {
    caller: { purpose: "audit" },
    consents: [consent({ purpose: "research" })],
    sees: none,
  },
  "nothing for no purpose where the consent names one": {
    consents: [consent({ purpose: "research" })],
    sees: none,
  },
  "for any purpose where the consent names none": {
    caller: { purpose: "audit" },
    consents: [consent()],
    sees: ["active", ...basic],
  },
  "no more than the caller's own fields": {
    caller: { fields: ["name", "gender"] },
    consents: [consent()],
    sees: ["active", "identifier", "name", "type"],
  },
  "a part of a field where the caller may see only that": {
    caller: { fields: ["name.family"] },
    consents: [consent()],
    sees: ["active", "identifier", "name.family", "type"],
  },
  "a part of a field where the consent shows only that": {
    caller: { fields: ["name"] },
    consents: [consent({ scope: custom("name.given") })],
    sees: ["active", "identifier", "name.given", "type"],
  },
  "an extension only if the caller may ever see it": {
    caller: { fields: ["name", "extension.farmer"] },
    consents: [consent({ scope: [scope({ fieldAccess: "all", extensions: ["farmer", "disability"] })] })],
    sees: ["active", "identifier", "name", "type", "+farmer"],
  },
  "everything of a program": {
    record: { type: "Program", key: "g", groups: [] },
    consents: [],
    sees: ["legal_basis", "all", "+all"],
  },
  "within its own fields, also on a legal basis": {
    caller: { legalBasis: "public_task", fields: ["name"] },
    consents: [],
    sees: ["legal_basis", "identifier", "name", "type"],
  },
};

const listed = (set: "all" | ReadonlySet<string>, mark = "") =>
  (set === "all" ? ["all"] : [...set].sort()).map((name) => mark + name);

describe("visibleFields", () => {
  it.each(Object.entries(cases))("shows %s", (_, { caller, record = person, consents, sees }) => {
    const { basis, fields, extensions } = visibleFields({ ...ngo, ...caller }, record, consents, today);
    expect([basis, ...listed(fields), ...listed(extensions, "+")]).toEqual(sees);
  });

  it.each(exemptLegalBases)("shows everything under %s", (legalBasis) => {
    expect(visibleFields({ ...ngo, legalBasis }, person, [], today)).toMatchObject({
      basis: "legal_basis",
      fields: "all",
      extensions: "all",
    });
  });

  it.each(["consent", "unheard_of", ""])("lets the legal basis %j depend on consents", (legalBasis) => {
    expect(visibleFields({ ...ngo, legalBasis }, person, [], today).basis).toBe("none");
  });

  it("tells the consents that count, and until when they all do", () => {
    const both = [
      consent({ id: "a", expiryDate: "2026-09-30" }),
      consent({ id: "b", expiryDate: "2026-07-31" }),
    ];
    const gone = consent({ id: "c", expiryDate: "2026-02-01" });
    const { consents, expires } = visibleFields(ngo, person, [...both, gone], today);
    expect([consents, expires]).toEqual([["a", "b"], "2026-07-31"]);
  });
});
