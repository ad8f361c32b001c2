import { groupTypes } from "../../resource/group.ts";
import { membershipStatuses } from "../../resource/membership-status.ts";
import { targetTypes } from "../../resource/program.ts";
import type { ResourceType } from "../../resource/types.ts";
import { genderSystem, relationshipSystem } from "../../resource/vocabularies.ts";
import {
  alternatives,
  type ChoosingParameter,
  codesIn,
  concept,
  contains,
  date,
  exactly,
  identifier,
  isWhole,
  mustRefer,
  reference,
  type SearchParameter,
  targetsOf,
  token,
} from "./parameter-kinds.ts";

const active: ChoosingParameter = {
  kind: "token",
  description:
    "Whether archived records are found: true (without the parameter) leaves them out, false finds them alone, any finds both.",
  example: "any",
  codes: ["true", "false", "any"],
  read: (value) => {
    if (value === "any") return {};
    return value === "true" || value === "false"
      ? { where: [{ index: "active", anyOf: [value] }] }
      : "must be true, false or any";
  },
};

/** A program is active until its period is over or it is archived. */
const programStatus: ChoosingParameter = {
  kind: "token",
  description: "active, or ended: archived, or its period is over. Commas separate alternatives.",
  example: "active",
  codes: ["active", "ended"],
  read: (value, { today }) => {
    const wanted = new Set(alternatives(value));
    if ([...wanted].some((status) => status !== "active" && status !== "ended"))
      return "must be one of active, ended";
    const index = "endsOn";
    if (wanted.size === 2) return { where: [{ index }] };
    return { where: [wanted.has("active") ? { index, from: today } : { index, below: today }] };
  },
};

const group: ChoosingParameter = {
  kind: "token",
  description:
    "Is a member, today, of the group system|value; none finds who belongs to no group. Commas separate alternatives.",
  example: "urn:service:group|HH-1",
  read: async (value, { find }) => {
    const wanted = alternatives(value);
    const named = wanted.filter((part) => part !== "none");
    if (!named.every(isWhole)) return "must be system|value of a group, or none";
    const groups = await Promise.all(named.map((part) => find(`Group/${part}`)));
    return { group: { groups, none: named.length < wanted.length } };
  },
};

const role: ChoosingParameter = {
  kind: "token",
  description:
    "Has the role, today, in a group; together with group, in that group. A code of the relationship vocabulary, or system|code. Commas separate alternatives.",
  example: "head",
  read: (value, { vocabularies }) => {
    const codes = codesIn(value, { vocabularies, own: relationshipSystem(vocabularies.namespace) });
    return typeof codes === "string" ? codes : { role: codes };
  },
};

const member: ChoosingParameter = {
  kind: "reference",
  description: "Has the person as a member, today. Commas separate alternatives.",
  example: "Individual/urn:gov:id|1",
  read: async (value, context) => {
    const values = await targetsOf(value, ["Individual"], context);
    if (!values) return mustRefer(["Individual"]);
    return { where: [{ index: "member", anyOf: values }], member: values };
  },
};

const telecom: ChoosingParameter = {
  kind: "token",
  description:
    "Has the telephone number or address, exactly as it was written. Commas separate alternatives.",
  example: "+639171234567",
  read: (value) => {
    // A plus sign that the client did not encode arrives as a space.
    const anyOf = alternatives(value).map((each) => each.replace(/^ (?=\d)/, "+").trim());
    return anyOf.includes("") ? "must not be empty" : { where: [{ index: "telecom", anyOf }] };
  },
};

const ranges = "A date or an instant, after eq, ne, lt, le, gt or ge if wanted; give it twice for a range.";

const everywhere = {
  identifier: identifier({
    description: "Has the identifier system|value, or the value in any system. Commas separate alternatives.",
    example: "urn:gov:id|1",
  }),
  _lastUpdated: date("lastUpdated", "instant", {
    description: `When the record was last changed. ${ranges}`,
    example: "ge2026-03-01T08:00:00Z",
  }),
};

const name = {
  name: contains("name", {
    description: "Part of the name; case and accents do not count.",
    example: "reyes",
  }),
  "name:exact": exactly("name", {
    description: "The whole name; case and accents do not count.",
    example: "Ana Reyes",
  }),
};

const address = {
  address: contains("address", {
    description: "Part of an address, its lines and places together; case and accents do not count.",
    example: "imus",
  }),
};

const beneficiaryTypes = ["Individual", "Group"] as const;

/** The parameters that choose records of each type: contract section 4. */
export const searchParameters: Readonly<Record<ResourceType, Readonly<Record<string, ChoosingParameter>>>> = {
  Individual: {
    ...everywhere,
    active,
    ...name,
    birthdate: date("birthdate", "day", {
      description: `The birth date. ${ranges}`,
      example: "ge1990-01-01",
    }),
    gender: concept("gender", {
      description: "A code of ISO 5218 (0, 1, 2, 9; no other), or system|code. Commas separate alternatives.",
      example: "2",
      own: () => genderSystem,
    }),
    ...address,
    telecom,
    group,
    role,
  },
  Group: {
    ...everywhere,
    active,
    groupType: token("groupType", {
      description: "The kind of group. Commas separate alternatives.",
      example: "household",
      codes: groupTypes,
    }),
    ...name,
    member,
    ...address,
  },
  Program: {
    ...everywhere,
    active,
    ...name,
    status: programStatus,
    targetType: token("targetType", {
      description: "Who the program is for. Commas separate alternatives.",
      example: "group",
      codes: targetTypes,
    }),
    programType: concept("programType", {
      description: "A code of any vocabulary, or system|code. Commas separate alternatives.",
      example: "cash_transfer",
    }),
  },
  ProgramMembership: {
    ...everywhere,
    beneficiary: reference("beneficiary", beneficiaryTypes, {
      description: "The enrolled Individual or Group. Commas separate alternatives.",
      example: "Group/urn:service:group|HH-1",
    }),
    program: reference("program", ["Program"], {
      description: "The program. Commas separate alternatives.",
      example: "Program/urn:service:program|cash",
    }),
    status: token("status", {
      description: "The state of the enrollment. Commas separate alternatives.",
      example: "enrolled",
      codes: membershipStatuses,
    }),
    enrollmentDate: date("enrollmentDate", "day", {
      description: `The day of the enrollment. ${ranges}`,
      example: "ge2026-01-01",
    }),
  },
};

/** The parameters that every search has besides: how much of what was found is answered, in which order. */
export const answerParameters = {
  _sort: {
    kind: "token",
    description: "The order of the answer; a minus sign before the name turns it around.",
    example: "-_lastUpdated",
  },
  _elements: {
    kind: "token",
    description:
      "The members shown, top-level or one dotted level, separated by commas; type and identifier stay.",
    example: "name,birthDate",
  },
  _extensions: {
    kind: "token",
    description: "The extensions shown, separated by commas; * for all. Without it none is.",
    example: "*",
  },
  _total: {
    kind: "token",
    description: "accurate: say in meta.total how many records are found in all.",
    example: "accurate",
    codes: ["accurate"],
  },
  limit: { kind: "number", description: "Records on a page: 1 to 500; without it 20.", example: "100" },
  _count: { kind: "number", description: "Another word for limit.", example: "100" },
  cursor: {
    kind: "token",
    description: "Where to go on: next_cursor of the page before, all else as it was.",
    example: "eyJ2",
  },
} as const satisfies Readonly<Record<string, SearchParameter>>;

const sortedEverywhere = { _lastUpdated: "lastUpdated", identifier: "identifier" };

/** What each type sorts by: the parameter's word and the index behind it. */
export const sortIndexes: Readonly<Record<ResourceType, Readonly<Record<string, string>>>> = {
  Individual: { ...sortedEverywhere, name: "name", birthdate: "birthdate" },
  Group: { ...sortedEverywhere, name: "name" },
  Program: { ...sortedEverywhere, name: "name" },
  ProgramMembership: { ...sortedEverywhere, enrollmentDate: "enrollmentDate" },
};
