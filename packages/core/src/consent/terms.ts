import * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, maxErrors, type Outcome } from "../problem.ts";
import { unknownField } from "../registry/record/members.ts";
import { dateSchema, referenceSchema } from "../resource/common.ts";
import type { SchemaContext } from "../resource/context.ts";
import { list, maxItems } from "../resource/list.ts";
import { parseInput } from "../resource/parse-input.ts";
import { rule } from "../resource/rule.ts";
import { line, nonEmptyLine, prose } from "../resource/strings.ts";
import { quoted } from "../text.ts";
import { type ConsentTerms, consentStatuses } from "./types.ts";

/** Types of organization: contract section 2, "Consent". */
export const organizationTypes = ["government", "ngo", "ingo", "un", "private", "research", "other"] as const;

/** What data may be asked for: contract section 2, "Consent". */
export const consentPurposes = [
  "service_delivery",
  "eligibility_verification",
  "analytics",
  "research",
  "audit",
] as const;

const fieldName = line(255).check(
  rule((value, report) => {
    if (typeof value === "string" && !isFieldName(value)) {
      report([], "invalid_value", "must be a field's name, or one below it such as name.family");
    }
  }),
);

function isFieldName(text: string): boolean {
  return /^[A-Za-z]\w*(\.[A-Za-z]\w*)?$/.test(text);
}

const scopeSchema = z
  .strictObject({
    resourceType: z.enum(["Individual", "Group", "ProgramMembership", "all"]),
    fieldAccess: z.enum(["all", "basic", "custom"]),
    fields: list(fieldName, maxItems.fields).exactOptional(),
    extensions: list(nonEmptyLine(255), maxItems.fields).exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const named = Array.isArray(value.fields) && value.fields.length > 0;
      if (value.fieldAccess === "custom" && !named) {
        report(["fields"], "required", "must name the fields that custom access shows");
      }
      if ((value.fieldAccess === "all" || value.fieldAccess === "basic") && named) {
        report(["fields"], "invalid_value", `goes with custom access only; it is ${value.fieldAccess}`);
      }
    }),
  );

const granteeSchema = z
  .strictObject({
    organization: nonEmptyLine(255).exactOptional(),
    organizationType: z.enum(organizationTypes).exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      if ("organization" in value === "organizationType" in value) {
        report([], "required", "must have either an organization or an organizationType");
      }
    }),
  );

const termsShape = {
  subject: referenceSchema(["Individual", "Group"]),
  grantee: granteeSchema,
  scope: list(scopeSchema, maxItems.scope)
    .meta({ minItems: 1 })
    .check(
      rule((value, report) => {
        if (Array.isArray(value) && value.length === 0)
          report([], "required", "must have at least one entry");
      }),
    ),
  purpose: z.enum(consentPurposes).exactOptional(),
  legalBasis: nonEmptyLine(255).exactOptional(),
  effectiveDate: dateSchema.exactOptional(),
  expiryDate: dateSchema.exactOptional(),
  collectionMethod: z.enum(["written", "verbal", "electronic", "biometric"]).exactOptional(),
  evidence: prose(100_000).exactOptional(),
};

/** A consent whose last day is before its first. The effective date may be today's by default only, or the last day that of a renewal. */
export function expiredBeforeIt({
  effectiveDate,
  expiryDate,
}: {
  readonly effectiveDate?: unknown;
  readonly expiryDate?: unknown;
}): FieldError | undefined {
  if (typeof effectiveDate !== "string" || typeof expiryDate !== "string") return undefined;
  if (expiryDate >= effectiveDate) return undefined;
  const message = `must not be before the effective date, ${quoted(effectiveDate)}`;
  return { field: "/expiryDate", code: "invalid_period", message };
}

const daysInOrder = rule<unknown>((value, report) => {
  const fault = isJsonObject(value) ? expiredBeforeIt(value) : undefined;
  if (fault) report(["expiryDate"], fault.code, fault.message);
});

/** What a consent says, as it is granted: contract section 2, "Consent", without `id`, `type` and `status`. */
export const consentTermsSchema = z.strictObject(termsShape).check(daysInOrder);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID (RFC 9562), as consents are addressed by. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

const copyShape = {
  type: z.literal("Consent").exactOptional(),
  id: z
    .string()
    .check(
      rule((value, report) => {
        if (typeof value === "string" && !isUuid(value)) report([], "invalid_value", "must be a UUID");
      }),
    )
    .exactOptional(),
  status: z.enum(consentStatuses).exactOptional(),
  revocation: z
    .strictObject({ date: dateSchema, by: nonEmptyLine(255), reason: line(1000).exactOptional() })
    .exactOptional(),
  meta: z
    .strictObject({
      versionId: z.string().regex(/^[1-9]\d{0,14}$/, "must be a version, such as 1"),
      lastUpdated: z.iso.datetime(),
      source: nonEmptyLine(255),
    })
    .exactOptional(),
};

const revoked = rule<unknown>((value, report) => {
  if (!isJsonObject(value) || value.revocation === undefined) return;
  if (value.status === "withdrawn" || value.status === "invalidated") return;
  const message = `goes with the status withdrawn or invalidated; it is ${String(value.status ?? "given")}`;
  report(["revocation"], "not_revoked", message);
});

const consentCopySchema = z.strictObject({ ...termsShape, ...copyShape }).check(daysInOrder, revoked);

/** Terms, and of a trusted copy what had become of them. */
export type GivenTerms = ConsentTerms & z.infer<z.ZodObject<typeof copyShape>>;

/**
 * Validates the terms of a consent, every fault at once. A copy of an existing consent, from a trusted source, also has
 * `id`, `status`, `revocation` and `meta`.
 */
export function validateTerms(
  body: unknown,
  { trusted, context }: { readonly trusted?: JsonObject | undefined; readonly context: SchemaContext },
): Outcome<GivenTerms> {
  const whole = trusted && isJsonObject(body) ? { ...body, ...trusted } : body;
  const parsed = parseInput<GivenTerms>(trusted ? consentCopySchema : consentTermsSchema, whole);
  if (!parsed.ok) return parsed;
  const faults = [...dayFaults(parsed.value, context), ...nameFaults(parsed.value)];
  return faults.length > 0 ? failure(invalid(faults)) : parsed;
}

function dayFaults({ revocation }: GivenTerms, context: SchemaContext): readonly FieldError[] {
  const date = revocation?.date;
  const today = context.today();
  if (date === undefined || date <= today) return [];
  return [{ field: "/revocation/date", code: "future_date", message: `must not be after today, ${today}` }];
}

/** A name that no record has would show nothing. Extensions are not judged: a module may bring one later. */
function nameFaults({ scope }: Pick<ConsentTerms, "scope">): readonly FieldError[] {
  const faults: FieldError[] = [];
  for (const [at, { fields = [] }] of scope.entries()) {
    for (const [i, name] of fields.entries()) {
      // Which names may have been meant takes its time.
      if (faults.length > maxErrors) return faults;
      const message = unknownField(name, consentedTypes);
      if (message === undefined) continue;
      faults.push({ field: `/scope/${at}/fields/${i}`, code: "unknown_field", message });
    }
  }
  return faults;
}

const consentedTypes = ["Individual", "Group", "ProgramMembership"] as const;
