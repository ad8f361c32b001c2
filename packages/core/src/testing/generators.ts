import fc from "fast-check";
import type {
  CodeableConcept,
  HumanName,
  Identifier,
  Period,
  PostalAddress,
  Telecom,
} from "../resource/common.ts";
import type { GroupBody, GroupMember } from "../resource/group.ts";
import type { IndividualBody } from "../resource/individual.ts";
import type { MembershipBody } from "../resource/membership.ts";
import { type MembershipStatus, membershipStatuses } from "../resource/membership-status.ts";
import type { ProgramBody } from "../resource/program.ts";
import { printReference } from "../resource/reference.ts";

const words = ["Ana", "José", "Nguyễn", "فاطمة", "सीता", "O'Hara", "de la Cruz", "Łukasz", "x"] as const;

/** Single words in several scripts, from a pool small enough for two draws to meet. */
export const arbitraryWord: fc.Arbitrary<string> = fc.constantFrom(...words);

/** Calendar dates from 1850 to 2025, leap days included. */
export const arbitraryDate: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("1850-01-01", "1900-02-28", "2000-02-29", "2024-02-29", "2025-12-31"),
  fc
    .tuple(
      fc.integer({ min: 1850, max: 2025 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 28 }),
    )
    .map(([year, month, day]) => `${year}-${padded(month)}-${padded(day)}`),
);

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

/** Two dates, the earlier first. */
const arbitrarySpan = fc
  .tuple(arbitraryDate, arbitraryDate)
  .map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a] as const)));

/** Periods that end no earlier than they start; either end may be open. */
export const arbitraryPeriod: fc.Arbitrary<Period> = fc
  .tuple(arbitrarySpan, fc.constantFrom("start", "end", "both"))
  .map(([[start, end], kind]) => {
    if (kind === "both") return { start, end };
    return kind === "start" ? { start } : { end };
  });

/** Values with `|`, `%`, `,`, `/` and other scripts, and what some of them would be decoded once more: another record's. */
const values = ["1", "%31", "A|B", "50%/é", "50%25/é", "a,b/c", "a%2Cb%2Fc", "१२३"] as const;

/** Identifiers of a given system prefix. */
export function arbitraryIdentifier(system = "urn:gov:id"): fc.Arbitrary<Identifier> {
  return fc.record(
    {
      system: fc.constantFrom(system, `${system}:old`, "https://id.example.org/a#b"),
      value: fc.oneof(fc.constantFrom(...values), fc.uuid()),
      period: arbitraryPeriod,
    },
    { requiredKeys: ["system", "value"] },
  );
}

/** Concepts of one code of a system, or of text only. */
export function arbitraryConcept(system: string, codes: readonly string[]): fc.Arbitrary<CodeableConcept> {
  const coding = fc.constantFrom(...codes).map((code) => [{ system, code }]);
  return fc.record({ coding, text: arbitraryWord }, { requiredKeys: ["coding"] });
}

export const arbitraryGender: fc.Arbitrary<CodeableConcept> = arbitraryConcept("urn:iso:std:iso:5218", [
  "0",
  "1",
  "2",
  "9",
]);

/** Names with at least one non-empty member. */
export const arbitraryName: fc.Arbitrary<HumanName> = fc
  .record(
    { family: arbitraryWord, given: arbitraryWord, middle: arbitraryWord, text: arbitraryWord },
    { requiredKeys: [] },
  )
  .map((name) => (Object.keys(name).length === 0 ? { text: "x" } : name));

export const arbitraryTelecom: fc.Arbitrary<Telecom> = fc.record(
  {
    system: fc.constantFrom("phone" as const, "email" as const),
    value: fc.constantFrom("+639171234567", "+254711000111", "ana@example.org"),
    use: fc.constantFrom("mobile" as const, "home" as const),
    rank: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ["system", "value"] },
);

export const arbitraryAddress: fc.Arbitrary<PostalAddress> = fc.record(
  {
    type: fc.constantFrom("physical" as const, "postal" as const),
    text: arbitraryWord,
    line: fc.array(arbitraryWord, { minLength: 1, maxLength: 2 }),
    city: fc.constantFrom("Imus", "Bacoor", "القاهرة"),
    district: arbitraryWord,
    state: fc.constantFrom("Cavite", "Laguna"),
    postalCode: fc.constantFrom("4103", "4104"),
    country: fc.constantFrom("PH", "KE", "NP"),
  },
  { requiredKeys: ["type"] },
);

/** Arrays of items that differ in their identity. */
function distinct<T>(
  item: fc.Arbitrary<T>,
  identity: (item: T) => string,
  bounds: { readonly minLength?: number; readonly maxLength: number },
) {
  return fc.uniqueArray(item, { ...bounds, selector: identity });
}

/** Arrays of at least one identifier, each once. */
export function arbitraryIdentifiers(system?: string): fc.Arbitrary<Identifier[]> {
  return distinct(arbitraryIdentifier(system), (item) => `${item.system}|${item.value}`, {
    minLength: 1,
    maxLength: 3,
  });
}

export const arbitraryTelecoms: fc.Arbitrary<Telecom[]> = distinct(
  arbitraryTelecom,
  (item) => `${item.system}|${item.use}|${item.value}`,
  { maxLength: 3 },
);

export const arbitraryAddresses: fc.Arbitrary<PostalAddress[]> = distinct(
  arbitraryAddress,
  (item) => item.type ?? "",
  { maxLength: 2 },
);

/** A valid Individual as a client writes one. */
export const arbitraryIndividual: fc.Arbitrary<IndividualBody> = fc.record(
  {
    type: fc.constant("Individual" as const),
    identifier: arbitraryIdentifiers(),
    active: fc.boolean(),
    name: arbitraryName,
    birthDate: arbitraryDate,
    birthDateEstimated: fc.boolean(),
    gender: arbitraryGender,
    telecom: arbitraryTelecoms,
    address: arbitraryAddresses,
  },
  { requiredKeys: ["type", "identifier", "active", "name"] },
);

const relationshipSystem = "urn:service:vocab:relationship";

/** Roles besides `head`, of which a group has at most one. */
const arbitraryRole = arbitraryConcept(relationshipSystem, ["spouse", "child", "parent", "other_relative"]);

/** References that no record needs to have, among them decoded twins: pools for groups and memberships that are not stored. */
export const samplePeople: readonly string[] = ["p1", "p%31", "p,2/a", "p%2C2%2Fa"].map((value) =>
  printReference("Individual", { system: "urn:gov:id", value }),
);

/** Members of the given people, each once; at most one is head. */
export function arbitraryMembers(people: readonly string[] = samplePeople): fc.Arbitrary<GroupMember[]> {
  const member = fc.record(
    {
      entity: fc.constantFrom(...people).map((reference) => ({ reference })),
      role: arbitraryRole,
      period: arbitraryPeriod,
      inactive: fc.boolean(),
    },
    { requiredKeys: ["entity"] },
  );
  const members = distinct(member, (item) => item.entity.reference, {
    maxLength: Math.min(people.length, 4),
  });
  return fc
    .tuple(members, fc.boolean())
    .map(([items, headed]) =>
      items.map((item, i) =>
        headed && i === 0
          ? { ...item, role: { coding: [{ system: relationshipSystem, code: "head" }] } }
          : item,
      ),
    );
}

/** A valid Group of the given people (references), as a client writes one. */
export function arbitraryGroup(people: readonly string[] = samplePeople): fc.Arbitrary<GroupBody> {
  return fc.record(
    {
      type: fc.constant("Group" as const),
      identifier: arbitraryIdentifiers("urn:service:group"),
      active: fc.boolean(),
      groupType: fc.constantFrom("household" as const, "family" as const),
      name: arbitraryWord,
      member: arbitraryMembers(people),
      address: arbitraryAddresses,
    },
    { requiredKeys: ["type", "identifier", "active", "groupType", "name"] },
  );
}

/** A valid Program. */
export const arbitraryProgram: fc.Arbitrary<ProgramBody> = fc.record(
  {
    type: fc.constant("Program" as const),
    identifier: arbitraryIdentifiers("urn:service:program"),
    active: fc.boolean(),
    name: arbitraryWord,
    description: arbitraryWord,
    programType: arbitraryConcept("urn:service:vocab:program-type", ["cash_transfer", "in_kind"]),
    targetType: fc.constantFrom("individual" as const, "group" as const),
    eligibilityCriteria: arbitraryWord,
    period: arbitraryPeriod,
  },
  { requiredKeys: ["type", "identifier", "active", "name", "targetType"] },
);

/** The dates and the reason that a state asks for. */
export function arbitraryStay(
  status: MembershipStatus,
): fc.Arbitrary<Pick<MembershipBody, "status" | "enrollmentDate" | "exitDate" | "exitReason">> {
  if (status === "exited") {
    return fc.tuple(arbitrarySpan, arbitraryWord).map(([[enrollmentDate, exitDate], exitReason]) => ({
      status,
      enrollmentDate,
      exitDate,
      exitReason,
    }));
  }
  if (status === "draft") return fc.constant({ status });
  return arbitraryDate.map((enrollmentDate) => ({ status, enrollmentDate }));
}

/** Who is enrolled in what, as references. */
export interface Enrollable {
  readonly program: string;
  readonly beneficiary: string;
}

/** A valid ProgramMembership in any state. */
export function arbitraryMembership(
  of: Enrollable = { program: "Program/urn:service:program|cash", beneficiary: "Group/urn:service:group|g1" },
): fc.Arbitrary<MembershipBody> {
  return fc
    .tuple(
      fc.constantFrom(...membershipStatuses).chain(arbitraryStay),
      arbitraryIdentifiers("urn:service:program-membership"),
    )
    .map(([stay, identifier]) => ({
      type: "ProgramMembership" as const,
      identifier,
      program: { reference: of.program },
      beneficiary: { reference: of.beneficiary },
      ...stay,
    }));
}
