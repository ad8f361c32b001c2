import {
  changeRequestStates,
  cycleStates,
  entitlementStates,
  membershipStatuses,
  registrantGenders,
} from "@fieldroll/core";
import {
  changeRequestData,
  changeRequestForms,
  changeRequestTypeName,
  namesOfData,
} from "./change-request-schemas.ts";
import type { DocumentContext } from "./context.ts";
import { extIdSource, registrantExtIdSource } from "./ext-ids.ts";
import {
  always,
  date,
  instant,
  listOf,
  nullable,
  object,
  oneWord,
  ref,
  type Schema,
  text,
  uuid,
  wholeNumber,
} from "./schema.ts";

/** The schemas of the registry-style endpoints: contract section 6. */
export function registryStyleSchemas(context: DocumentContext): Readonly<Record<string, Schema>> {
  const { namespace } = context;
  const model = (name: string) => always(`${namespace}.${name}`, "The kind of record.");
  const registrant = {
    registrant_ext_id: uuid("The registrant's `ext_id`."),
    registrant_model: model("registrant"),
  };
  const program = { program_ext_id: uuid("The program's `ext_id`."), program_model: model("program") };
  return {
    ...registrantSchemas(model("registrant")),
    ProgramSummary: object(
      {
        ext_id: uuid(`The program's UUID. ${extIdSource}`),
        model: model("program"),
        name: nullable(text("Its name.")),
        description: nullable(text("What it does.")),
        status: nullable(oneWord(["active", "ended"], "Whether it runs.")),
        start_date: nullable(date("First day.")),
        end_date: nullable(date("Last day.")),
      },
      { description: "A program; null is what is not told, or is none of the caller's fields." },
    ),
    EnrollmentSummary: object(
      {
        ext_id: uuid("The enrollment's UUID: the `key` of its items in `$changes`."),
        model: model("program_membership"),
        ...registrant,
        ...program,
        status: oneWord(membershipStatuses, "As of a ProgramMembership."),
        enrollment_date: nullable(date("Since when.")),
      },
      { description: "An enrollment." },
    ),
    Cycle: object(
      {
        ext_id: uuid("The cycle's UUID."),
        model: model("cycle"),
        ...program,
        name: text("Its name."),
        sequence: wholeNumber("Its place among the program's cycles."),
        start_date: date("First day."),
        end_date: date("Last day."),
        state: oneWord(
          cycleStates,
          "draft → to_approve → approved → distributed → ended; cancelled from draft and to_approve.",
        ),
      },
      { description: "One round of a program's benefits." },
    ),
    Money: object(
      {
        value: text("An exact decimal, never a float.", { pattern: "^-?[0-9]+(\\.[0-9]+)?$" }),
        currency: text("ISO 4217.", { pattern: "^[A-Z]{3}$" }),
      },
      { description: "An exact amount." },
    ),
    ...entitlementSchemas(model, { ...program, ...registrant }),
    ...changeRequestSchemas(model("change_request"), context),
  };
}

function entitlementSchemas(
  model: (name: string) => Schema,
  others: Readonly<Record<string, Schema>>,
): Readonly<Record<string, Schema>> {
  return {
    Entitlement: object(
      {
        ext_id: uuid("The entitlement's UUID."),
        model: model("entitlement"),
        ...others,
        cycle_ext_id: uuid("The cycle."),
        cycle_model: model("cycle"),
        amount: ref("Money"),
        valid_from: nullable(date("First day.")),
        valid_until: nullable(date("Last day.")),
        state: oneWord(entitlementStates, "Approved only from pending_validation."),
        approved_at: nullable(instant("When it was approved.")),
        ern: text("Entitlement reference number."),
      },
      { description: "What a registrant is to get in a cycle." },
    ),
  };
}

function registrantSchemas(model: Schema): Readonly<Record<string, Schema>> {
  const birthdate = date("The birth date.");
  const gender = oneWord(registrantGenders, "As words.");
  return {
    Registrant: object(
      {
        ext_id: uuid(`The registrant's UUID. ${registrantExtIdSource}`),
        model,
        name: nullable(text("The whole name.")),
        birthdate: nullable(birthdate),
        gender: { ...nullable({ ...gender }), description: "As a word; null when it is not told." },
      },
      { description: "A person in the registry-style view; null is what is not told, or hidden by consent." },
    ),
  };
}

/** Not there until it is known. */
const toldLater = ["registrant_ext_id", "reviewed_at", "reviewed_by", "reason"];

/** A stored request may be of a type that the deployment declares no more, so its form is told in words. */
function storedData(context: DocumentContext): Schema {
  const forms = namesOfData(context);
  return {
    type: "object",
    description: `What is to change, as the type needs it${forms === "" ? "" : ` (${forms})`}: told to who submitted it, and to callers whom neither consents nor their own fields limit.`,
  };
}

function changeRequestMembers(model: Schema, context: DocumentContext): Readonly<Record<string, Schema>> {
  return {
    ext_id: uuid("The change request's UUID."),
    model,
    type: changeRequestTypeName(context),
    status: oneWord(
      changeRequestStates,
      "draft → pending → approved → applied; pending → rejected, or → revision → draft.",
    ),
    registrant_ext_id: uuid("The `ext_id` of whom it is about, once known."),
    submitted_at: instant("When it was submitted, or made as a draft (UTC)."),
    submitted_by: text("The client that submitted it."),
    reviewed_at: instant("When it was last approved, rejected or sent back (UTC)."),
    reviewed_by: text("The client that did so."),
    reason: text("Why."),
  };
}

function changeRequestSchemas(model: Schema, context: DocumentContext): Readonly<Record<string, Schema>> {
  return {
    ChangeRequest: object(
      { ...changeRequestMembers(model, context), data: storedData(context) },
      {
        optional: [...toldLater, "data"],
        description: "A change that somebody asks for, where it stands, and what it asks for.",
      },
    ),
    ChangeRequestSummary: object(changeRequestMembers(model, context), {
      optional: toldLater,
      description: "A change that somebody asks for, as lists show it.",
    }),
    ChangeRequestReplacement: object(
      { data: changeRequestData(context, "What to change, as the request's type needs it.") },
      { description: "The data of a draft, whole." },
    ),
    ...changeRequestForms(context),
  };
}

/** A single record of the registry-style half. */
export function single(name: string): Schema {
  return object({ data: ref(name) });
}

/** A page of records of the registry-style half. */
export function listed(name: string): Schema {
  return object({ data: listOf(ref(name)), pagination: ref("Pagination") });
}
