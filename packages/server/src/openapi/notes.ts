import { isJsonObject, type Json, type JsonObject, resourceTypes } from "@fieldroll/core";
import type { Schema } from "./schema.ts";

/** What a schema and its members mean; `""` is the schema itself, a dot leads into a member's members. */
type Notes = Readonly<Record<string, string>>;

/** What the fields of the extensions mean that are shipped. */
const extensionNotes: Readonly<Record<"farmer" | "disability", Notes>> = {
  farmer: {
    url: "The extension's name as a URN; may be left out.",
    farmSize: "Size of the farm, in `farmSizeUnit`.",
    farmSizeUnit: "Unit of `farmSize`, such as `ha`.",
    primaryCrop: "What is mainly grown.",
    livestockCount: "Number of animals.",
  },
  disability: {
    url: "The extension's name as a URN; may be left out.",
    disabilityType: "Kind of disability.",
    severity: "How severe it is.",
    assistanceNeeded: "Whether the person needs somebody's help.",
  },
};

/** The notes of an extension's fields, at the place where it is. */
export function notesOfExtension(name: "farmer" | "disability", place: string): Notes {
  const notes = Object.entries(extensionNotes[name]).map(([field, note]) => [`${place}.${field}`, note]);
  return Object.fromEntries(notes);
}

const shared: Notes = {
  type: "The type of record.",
  identifier:
    "External identifiers; any one of them addresses the record. An identifier belongs to at most one record of its type, archived ones included.",
  active: "False once the record is archived: records are not deleted. Default: true.",
  extension: "What modules add, by extension name. Shown only when asked for with `_extensions`.",
  "extension.farmer": "Facts about a person's farm.",
  "extension.disability": "Facts about a person's disability.",
  ...notesOfExtension("farmer", "extension.farmer"),
  ...notesOfExtension("disability", "extension.disability"),
  meta: "What the service says about the record's version. Ignored when sent.",
  _consent: "Told instead of a record that no consent shows, where the deployment's policy is `identifiers`.",
};

const records: Readonly<Record<string, Notes>> = {
  Individual: {
    "": "A person.",
    name: "The person's name.",
    birthDate: "A real calendar date, not in the future, not before 1850.",
    birthDateEstimated: "Whether the birth date is an estimate.",
    gender:
      "Told by exactly one code of `urn:iso:std:iso:5218`: 0 not known, 1 male, 2 female, 9 not applicable.",
    telecom: "Ways to reach the person.",
    address: "Where the person lives, and where post goes.",
    photo:
      "A JPEG, PNG or WebP image as a data URI of at most 5 MiB, whose first bytes are as its type says. In searches and feeds only with `_elements=photo`.",
    groupMembership: "The groups the person is a member of; derived from the groups, ignored when sent.",
  },
  Group: {
    "": "A household or another grouping of people.",
    groupType: "What kind of group it is.",
    name: "The group's name.",
    quantity: "Number of active members; derived, ignored when sent.",
    member: "Who belongs to the group: each person once, at most one active head. Each person must exist.",
    address: "Where the group lives.",
  },
  Program: {
    "": "A social protection program.",
    name: "The program's name.",
    description: "What the program does.",
    programType: "What kind of program it is.",
    targetType: "Whom it is for.",
    eligibilityCriteria: "Who is eligible, in words.",
    period: "From when until when it runs.",
    status: "Derived: `ended` when the program is inactive or its period is over.",
  },
  ProgramMembership: {
    "": "An enrollment of a beneficiary in a program; there is one per program and beneficiary.",
    identifier: "Given by the server when absent.",
    program: "The program; it never changes.",
    beneficiary: "Who is enrolled, of the kind that the program is for; never changes.",
    status:
      "Default: `draft`. `draft` → enrolled, not_eligible, duplicated. `enrolled` → paused, exited, not_eligible, duplicated. `paused` → enrolled, exited, not_eligible, duplicated. `not_eligible` → draft, enrolled. `duplicated` → draft. `exited` is final. Any other move is a 422 with the code `invalid_transition`.",
    enrollmentDate: "Default: the day on which it becomes `enrolled`. At most tomorrow.",
    exitDate:
      "Default: the day on which it becomes `exited`. Not before `enrollmentDate`, at most a year from today, and with the status `exited` only.",
    exitReason: "Needed to become `exited`; with the status `exited` only.",
  },
};

const parts: Readonly<Record<string, Notes>> = {
  Period: {
    "": "A span of days, both ends included, open where an end is absent. The end is not before the start.",
    start: "First day.",
    end: "Last day.",
  },
  Coding: {
    "": "One code of a vocabulary. Codes of a closed vocabulary must be in it.",
    system: "The vocabulary.",
    code: "The code.",
    display: "The code in words.",
  },
  CodeableConcept: {
    "": "A meaning as codes, as text, or both.",
    coding: "The same meaning in one or more vocabularies.",
    text: "The meaning in words.",
  },
  Identifier: {
    "": "An external identifier.",
    system: "Who gives it: text like a URI, without `|`.",
    value: "What it is; may hold `|`.",
    period: "When it is valid.",
  },
  HumanName: {
    "": "A person's name; at least one member is not empty.",
    family: "Family name.",
    given: "Given name.",
    middle: "Middle name.",
    prefix: "Words before the name.",
    suffix: "Words after the name.",
    text: "The whole name; when absent it is derived as given, middle, family.",
  },
  Telecom: {
    "": "A way to reach a person.",
    system: "Kind of way.",
    value: "Number or address.",
    use: "What it is for.",
    rank: "1 is preferred.",
  },
  PostalAddress: {
    "": "A place of living or of post.",
    type: "Place of living, of post, or both.",
    text: "The address as one text.",
    line: "Street, house, unit.",
    city: "City or municipality.",
    district: "District.",
    state: "State or province.",
    postalCode: "Postal code.",
    country: "ISO 3166-1 alpha-2, upper case.",
  },
  GroupMember: {
    "": "One person's place in a group.",
    entity: "The person.",
    role: "Told by one code of the relationship vocabulary: head, spouse, child, child_in_law, grandchild, parent, parent_in_law, grandparent, sibling, other_relative, non_relative.",
    period: "When the person belongs to it.",
    inactive: "True once the person has left.",
  },
  Meta: {
    "": "What the service says about a record's version.",
    versionId: "Counts the changes that altered the record; sent in `If-Match`, in double quotes.",
    lastUpdated: "When the record last changed (UTC).",
    source: "Which client changed it last, as a URN.",
  },
  ConsentNote: {
    "": "Under which right a record is shown.",
    status: "`none`: no consent in force shows the record.",
    scope: "What is shown.",
    expires: "The last day.",
  },
  ...Object.fromEntries(
    ["IndividualReference", "GroupReference", "ProgramReference", "BeneficiaryReference"].map((name) => [
      name,
      {
        "": "A reference to another record.",
        reference:
          "`<Type>/<system>|<value>`; answers print it so that it can be fetched, with `#`, `%`, `?` and spaces percent-encoded.",
        display: "The record's name, as far as the caller may see it. Ignored when sent.",
        key: "In writes: the record's key, as the change feed and `X-Record-Key` tell it. Where another record has the identifier by now, nothing is written: 422 with the code `other_record`.",
      },
    ]),
  ),
};

const forms = resourceTypes.flatMap((type): readonly [string, Notes][] => {
  const notes = { ...shared, ...records[type] };
  const name = notes[""] ?? "";
  return [
    [
      type,
      {
        ...notes,
        "": `${name} As shown: by consent or by \`_elements\` any member but type and identifier may be missing.`,
      },
    ],
    [`${type}Body`, { ...notes, "": `${name} As sent, whole.` }],
    [
      `${type}Patch`,
      {
        ...notes,
        "": `${name} As a merge patch (RFC 7396): what is left out stays, null clears, arrays replace.`,
      },
    ],
  ];
});

const patchedParts = Object.entries(parts).map(([name, notes]): [string, Notes] => [
  `${name}Patch`,
  { ...notes, "": `${notes[""]} As part of a merge patch (RFC 7396).` },
]);

const notesBySchema: Readonly<Record<string, Notes>> = {
  ...parts,
  ...Object.fromEntries([...patchedParts, ...forms]),
};

/** Adds to each schema and member what it means; what the generated schema says already stays. */
export function withNotes(schemas: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  const described = Object.entries(schemas).map(([name, schema]) => {
    const notes = notesBySchema[name];
    return [name, notes ? annotated(schema, notes, "") : schema];
  });
  return Object.fromEntries(described);
}

function annotated(schema: Schema, notes: Notes, place: string): Schema {
  const description = notes[place];
  return { ...(description === undefined ? {} : { description }), ...annotatedBelow(schema, notes, place) };
}

/** What may be null has its members one level deeper, in a form of its own. */
function annotatedBelow(schema: Schema, notes: Notes, place: string): Schema {
  const { properties, anyOf } = schema;
  const below = (form: Json): Json => (isJsonObject(form) ? annotatedBelow(form, notes, place) : form);
  return {
    ...schema,
    ...(isJsonObject(properties) ? { properties: annotatedMembers(properties, notes, place) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(below) } : {}),
  };
}

function annotatedMembers(properties: JsonObject, notes: Notes, place: string): JsonObject {
  const members = Object.entries(properties).map(([name, member]): [string, Json] => [
    name,
    isJsonObject(member) ? annotated(member, notes, place === "" ? name : `${place}.${name}`) : member,
  ]);
  return Object.fromEntries(members);
}
