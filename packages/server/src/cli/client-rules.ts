import { allScopes, exemptLegalBases, type Json, resourceTypes, unknownField } from "@fieldroll/core";

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
  if (wrong !== undefined)
    return `${wrong} is no field; write a member such as name, or one level below it such as name.family`;
  // Which extensions there are is for each deployment to say.
  return value
    .map((field: Json) => unknownField(String(field), resourceTypes))
    .find((found) => found !== undefined);
};

/** A word of a list of the contract. */
export const oneOf =
  (words: readonly string[]): Rule =>
  (value) =>
    words.includes(String(value)) ? undefined : `${value} is none of ${words.join(", ")}`;

/** On which a client acts that names none. */
export const defaultLegalBasis = "consent";
/** Contract section 3.1: all but the first are exempt from filtering by consent. */
export const legalBases = [defaultLegalBasis, ...exemptLegalBases];

/** What an operator should know of a client that may write and acts on a basis by which little is shown to it. */
export function writesUnseen({
  scopes,
  legalBasis = defaultLegalBasis,
}: {
  readonly scopes: readonly string[];
  readonly legalBasis?: string;
}): string | undefined {
  if (!scopes.includes("registry:write") || exemptLegalBases.includes(legalBasis)) return undefined;
  return `Its legal basis is ${legalBasis}: it sees only those who have consented to show it something, and so not whom it registers itself. On a tablet new people vanish, and their households are refused, for their members are not there for it. For a field app add a client with a basis that needs no consent, such as --legal-basis public_task.`;
}
