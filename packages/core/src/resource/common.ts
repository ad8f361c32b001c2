import * as z from "zod";
import { isJsonObject } from "../json.ts";
import { quoted } from "../text.ts";
import { anyObject } from "./any-json.ts";
import { countryCodes } from "./countries.ts";
import { isCalendarDate } from "./dates.ts";
import { list, maxItems } from "./list.ts";
import { wholeNumber } from "./numbers.ts";
import { addressOfReference, maxReferenceLength } from "./reference.ts";
import { rule } from "./rule.ts";
import { fault, line, nonEmptyLine, prose } from "./strings.ts";
import type { ResourceType } from "./types.ts";

/** A real calendar date, `YYYY-MM-DD`. */
export const dateSchema = z
  .string()
  .meta({ format: "date" })
  .check(
    rule((value, report) => {
      if (typeof value === "string" && !isCalendarDate(value)) {
        report([], "invalid_date", "must be a calendar date written YYYY-MM-DD");
      }
    }),
  );

/** A span of days, both ends included; open where an end is absent. */
export const periodSchema = z
  .strictObject({ start: dateSchema.exactOptional(), end: dateSchema.exactOptional() })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const { start, end } = value;
      if (typeof start === "string" && typeof end === "string" && end < start) {
        report(["end"], "invalid_period", `must not be before the start, ${quoted(start)}`);
      }
    }),
  );

/** An external identifier: specification, "Common types". A system holds no raw `|`; a value may. */
export const identifierSchema = z.strictObject({
  system: line(255)
    .meta({ minLength: 1, pattern: "^[^|]*[^|\\s][^|]*$" })
    .check(
      rule((value, report) => {
        if (typeof value !== "string") return;
        if (value.trim() === "") report([], "required", "must not be empty");
        if (value.includes("|")) {
          report([], "invalid_value", "must not contain |, which parts the system from the value");
        }
      }),
    ),
  value: nonEmptyLine(255),
  period: periodSchema.exactOptional(),
});

/** Identifiers of one record, each `system|value` once. */
export const identifiersSchema = list(identifierSchema, maxItems.identifier).check(
  rule((value, report) => {
    if (!Array.isArray(value)) return;
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      if (!isJsonObject(item)) continue;
      const address = `${String(item.system)}|${String(item.value)}`;
      if (seen.has(address)) report([index], "duplicate_item", `repeats the identifier ${quoted(address)}`);
      seen.add(address);
    }
  }),
);

/** {@link identifiersSchema} with at least one entry, as Individual, Group and Program need. */
export const requiredIdentifiersSchema = identifiersSchema.meta({ minItems: 1 }).check(
  rule((value, report) => {
    if (Array.isArray(value) && value.length === 0) report([], "required", "must have at least one entry");
  }),
);

/** One code of a vocabulary. */
export const codingSchema = z.strictObject({
  system: nonEmptyLine(255),
  code: nonEmptyLine(255),
  display: line(255).exactOptional(),
});

/** A meaning as codes, as text, or both. */
export const conceptSchema = z
  .strictObject({
    coding: list(codingSchema, maxItems.coding).exactOptional(),
    text: prose(1000).exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const coded = "coding" in value && !(Array.isArray(value.coding) && value.coding.length === 0);
      const told = "text" in value && value.text !== "";
      if (!coded && !told) report([], "required", "must have a coding or a text");
    }),
  );

/** A reference to a record of one of the given types. The display is derived and not stored. */
export function referenceSchema(types: readonly ResourceType[]) {
  return z.strictObject(referenceParts(types));
}

/** One that may have the key of the record beside it, as feeds tell it, in writes alone: whoever has the identifier has to be that very record. */
export function keyedReferenceSchema(types: readonly ResourceType[]) {
  return z.strictObject({ ...referenceParts(types), key: line(255).exactOptional() });
}

function referenceParts(types: readonly ResourceType[]) {
  return {
    reference: z
      .string()
      .meta({ pattern: `^(${types.join("|")})/.`, maxLength: maxReferenceLength })
      .check(
        rule((value, report) => {
          if (typeof value !== "string") return;
          const message = referenceFault(value, types);
          if (message) report([], "invalid_reference", message);
        }),
      ),
    display: prose(5000).exactOptional(),
  };
}

/** What is wrong with a reference to a record of one of the types, or `undefined`. */
export function referenceFault(text: string, types: readonly ResourceType[]): string | undefined {
  if (text.length > maxReferenceLength) return `must have at most ${maxReferenceLength} characters`;
  const type = types.find((name) => text.startsWith(`${name}/`));
  const form = types.map((name) => `${name}/<system>|<value>`).join(" or ");
  if (!type) return `must be written ${form}`;
  const address = addressOfReference(text);
  if (!address) return `must be written ${form}`;
  const bad =
    address.system.trim() === "" || address.value.trim() === ""
      ? "must not be empty"
      : (fault(address.system, { max: 255 }) ?? fault(address.value, { max: 255 }));
  return bad ? `its system and value: ${typeof bad === "string" ? bad : bad.message}` : undefined;
}

/** A way to reach a person. `rank` 1 is the preferred one. */
export const telecomSchema = z
  .strictObject({
    system: z.enum(["phone", "email", "fax", "url", "sms"]),
    value: nonEmptyLine(255),
    use: z.enum(["home", "work", "mobile"]).exactOptional(),
    rank: wholeNumber({ min: 1 }).exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value) || value.system !== "url" || typeof value.value !== "string") return;
      // Screens make links of it: another scheme, such as javascript:, would run there.
      if (!/^https?:\/\/[^\s/?#]/i.test(value.value)) {
        report(["value"], "invalid_value", "must be an address that begins with http:// or https://");
      }
    }),
  );

/** A place of living or of post. */
export const addressSchema = z.strictObject({
  type: z.enum(["physical", "postal", "both"]).exactOptional(),
  text: prose(1000).exactOptional(),
  line: list(line(255), maxItems.line).exactOptional(),
  city: line(255).exactOptional(),
  district: line(255).exactOptional(),
  state: line(255).exactOptional(),
  postalCode: line(255).exactOptional(),
  country: z
    .string()
    .meta({ pattern: "^[A-Z]{2}$", maxLength: 2 })
    .check(
      rule((value, report) => {
        if (typeof value === "string" && !countryCodes.has(value)) {
          report([], "invalid_code", "must be an ISO 3166-1 alpha-2 code in upper case, such as PH");
        }
      }),
    )
    .exactOptional(),
});

const nameMembers = ["family", "given", "middle", "prefix", "suffix", "text"] as const;

/** A person's name; at least one member is non-empty. `text` is derived when it is absent. */
export const nameSchema = z
  .strictObject({
    family: line(255).exactOptional(),
    given: line(255).exactOptional(),
    middle: line(255).exactOptional(),
    prefix: line(255).exactOptional(),
    suffix: line(255).exactOptional(),
    text: line(1000).exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const told = nameMembers.some((member) => {
        const part = value[member];
        return part !== undefined && !(typeof part === "string" && part.trim() === "");
      });
      if (!told)
        report([], "required", `must have at least one non-empty member of ${nameMembers.join(", ")}`);
    }),
  );

/** What modules add, by extension name: specification, "Extensions". */
export const extensionSchema = z.record(z.string(), anyObject);

/** What the service says about a record's version. */
export const metaSchema = z.strictObject({
  versionId: z.string(),
  lastUpdated: z.string(),
  source: z.string(),
});

export type Period = z.infer<typeof periodSchema>;
export type Identifier = z.infer<typeof identifierSchema>;
export type Coding = z.infer<typeof codingSchema>;
export type CodeableConcept = z.infer<typeof conceptSchema>;
export type Reference = z.infer<ReturnType<typeof keyedReferenceSchema>>;
export type Telecom = z.infer<typeof telecomSchema>;
export type PostalAddress = z.infer<typeof addressSchema>;
export type HumanName = z.infer<typeof nameSchema>;
/** Version (a counter as a string), last change (UTC, ISO 8601) and the system that made it (a URN). */
export type Meta = z.infer<typeof metaSchema>;
