import { isJsonObject, requestSchemas } from "@fieldroll/core";
import { annotated, type PlacedNotes } from "./annotated.ts";
import { registrantExtIdSource } from "./ext-ids.ts";
import { withNames } from "./named-parts.ts";
import { portableSchema } from "./portable.ts";
import { always, type Schema, uuid } from "./schema.ts";

const notes = {
  Bundle: {
    "": "Several requests at once.",
    type: "`transaction`: all or nothing. `batch`: each entry for itself.",
    entry: "The requests.",
    "entry[].fullUrl":
      "A placeholder `urn:uuid:…` by which other entries, before or after, name this one's record: in any `reference`, and in `request.url`.",
    "entry[].request.method": "As of a single request.",
    "entry[].request.url":
      "Below the API's root, such as `Individual` or `Group/<system>|<value>/$add-member`; `urn:uuid:…` may stand for an address.",
    "entry[].request.ifMatch":
      "As the header If-Match of a single request. It may name the version that an earlier entry of a transaction brings about.",
    "entry[].request.idempotencyKey":
      "As the header Idempotency-Key of a single request, which it may take the place of: the request is known by it in whatever bundle it comes again, and alone, if its body is compact JSON. In a `batch` only.",
    "entry[].request.clockSkew":
      "As the header X-Clock-Skew of a single request, as a number. In a `batch` only; a header of the bundle counts for the entries without one.",
    "entry[].resource": "The body, as of a single request; none with GET.",
  },
  GroupRemoval: {
    "": "Which member leaves a group.",
    endDate: "The last day as a member. Default: today.",
    reason: "Why, for the history.",
  },
  GroupMerger: { "": "Which group goes into which.", source: "It is archived.", target: "It stays." },
  GroupSplit: {
    "": "The new group, and who goes into it.",
    identifier: "The new group's identifiers, as when a group is made.",
    name: "The new group's name.",
    members: "Who goes into the new group: active members of the old one, but not all of them.",
    head: "Who of them is the new group's head.",
  },
  Revocation: { "": "Why a consent is withdrawn.", reason: "Why." },
  Rejection: { "": "Why a change is rejected or sent back.", reason: "Why." },
  RegistrantBody: {
    "": "A registrant as sent, whole.",
    name: "The whole name.",
    birthdate: "The birth date.",
    gender: "As a word.",
  },
  EnrollmentRequest: { "": "Whom to enroll.", registrant_ext_id: `Whom to enroll. ${registrantExtIdSource}` },
} as const satisfies Readonly<Record<string, PlacedNotes>>;

const validators = {
  Bundle: requestSchemas.bundle,
  GroupRemoval: requestSchemas.removal,
  GroupMerger: requestSchemas.merger,
  GroupSplit: requestSchemas.split,
  Revocation: requestSchemas.revocation,
  Rejection: requestSchemas.revocation,
  RegistrantBody: requestSchemas.registrant,
  EnrollmentRequest: requestSchemas.enrollment,
} as const;

/**
 * The bodies that are no records, made of the schemas that validate them.
 *
 * @param names of the parts that records have as well, by their schemas
 */
export function requestBodies(
  names: ReadonlyMap<string, string>,
  namespace: string,
): Readonly<Record<string, Schema>> {
  const bodies = Object.entries(validators).map(([name, validator]): [string, Schema] => {
    const told: PlacedNotes = notes[name as keyof typeof notes];
    return [name, annotated(withNames(portableSchema(validator), names), told)];
  });
  const made = Object.fromEntries(bodies);
  return { ...made, RegistrantReplacement: replacement(made.RegistrantBody ?? {}, namespace) };
}

/** As a registrant is read and sent back: who it is may stand in it, and never changes. */
function replacement({ properties, ...body }: Schema, namespace: string): Schema {
  return {
    ...body,
    description: "A registrant as sent to replace one; what is left out is not told any more.",
    properties: {
      ext_id: uuid("The registrant's UUID; may be sent back as it was read."),
      model: always(`${namespace}.registrant`, "The kind of record."),
      ...(isJsonObject(properties) ? properties : {}),
    },
  };
}
