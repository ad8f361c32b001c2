import { allScopes, type Json } from "@fieldroll/core";

/** Says what is wrong with a value, or nothing. */
export type Rule = (value: Json) => string | undefined;

/** Shorter ones can be guessed. */
export const shortestSecret = 16;

export const isText: Rule = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "must be a non-empty string";

export const isFlag: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

const isTextList: Rule = (value) =>
  Array.isArray(value) && value.every((item: Json) => isText(item) === undefined)
    ? undefined
    : "must be an array of strings";

export const isScopeList: Rule = (value) => {
  const fault = isTextList(value);
  if (fault !== undefined || !Array.isArray(value)) return fault;
  const unknown = value.find((scope: Json) => !allScopes.includes(String(scope)));
  return unknown === undefined ? undefined : `${unknown} is no scope; there are ${allScopes.join(", ")}`;
};

/** Members of a record, or of one of its members: `name`, `name.family`, `extension.farmer`. */
export const isFieldList: Rule = (value) => {
  const fault = isTextList(value);
  if (fault !== undefined || !Array.isArray(value)) return fault;
  const wrong = value.find((field: Json) => !/^[A-Za-z_]\w*(\.[A-Za-z_][\w-]*)?$/.test(String(field)));
  if (wrong === undefined) return undefined;
  return `${wrong} is no field; write a member such as name, or one level below it such as name.family`;
};

/** A word of a list of the contract. */
export const oneOf =
  (words: readonly string[]): Rule =>
  (value) =>
    words.includes(String(value)) ? undefined : `${value} is none of ${words.join(", ")}`;

/** Contract section 2, "Consent". */
export const organizationTypes = ["government", "ngo", "ingo", "un", "private", "research", "other"];
export const purposes = [
  "service_delivery",
  "eligibility_verification",
  "analytics",
  "research",
  "audit",
] as const;
/** Contract section 3.1: all but the first are exempt from filtering by consent. */
export const legalBases = [
  "consent",
  "legal_obligation",
  "vital_interest",
  "public_interest",
  "public_task",
  "contract",
  "legitimate_interest",
];
