import { failure, type Outcome, type Problem } from "../problem.ts";
import { resourceTypes } from "../resource/types.ts";
import { isFunction, isText } from "../wrong-options.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a verb is called with: its name, whether what is given may be meant, and what it must be, in words. */
export type Argument = readonly [
  name: string,
  isRight: (given: unknown) => boolean,
  words: string | ((given: unknown) => string),
];

/** The arguments of each verb, in their order. */
export type Signatures<V> = { readonly [verb in keyof V]: readonly Argument[] };

type Verb = (...given: readonly unknown[]) => Promise<Outcome<unknown>>;

/**
 * The verbs, refusing arguments of another kind than their types say, as plain JavaScript may give them: as a problem, as they
 * refuse everything else.
 */
export function checkedVerbs<V extends object>(verbs: V, signatures: Signatures<NoInfer<V>>): V {
  const checked: Record<string, Verb> = {};
  for (const name of Object.keys(signatures)) {
    const verb = verbs[name as keyof V] as Verb;
    const expected = signatures[name as keyof V];
    checked[name] = (...given) => {
      const wrong = wrongArgument(expected, given);
      return wrong ? Promise.resolve(failure(wrong)) : verb(...given);
    };
  }
  return checked as V;
}

function wrongArgument(expected: readonly Argument[], given: readonly unknown[]): Problem | undefined {
  const at = expected.findIndex(([, isRight], i) => !isRight(given[i]));
  const wrong = expected[at];
  if (!wrong) return undefined;
  const [field, , words] = wrong;
  const message = `must be ${typeof words === "string" ? words : words(given[at])}`;
  const errors = [{ field, code: "invalid_parameter", message }];
  return { kind: "bad-request", detail: `The argument ${field} ${message}.`, errors };
}

function isObject(given: unknown): given is Members {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** Whether these members are texts, as far as they are there. */
function hasTexts(given: unknown, ...names: readonly string[]): boolean {
  return isObject(given) && names.every((name) => given[name] === undefined || isText(given[name]));
}

function isAddress(given: unknown): boolean {
  return isText(given) || (isObject(given) && isText(given.system) && isText(given.value));
}

function isOptions(given: unknown): boolean {
  if (!hasTexts(given, "elements", "extensions", "reason")) return false;
  const { idempotency, clockSkew = 0 } = Object(given);
  if (!Number.isSafeInteger(clockSkew)) return false;
  return idempotency === undefined || (isText(idempotency?.key) && isText(idempotency?.fingerprint));
}

export const address: Argument = [
  "address",
  isAddress,
  'the address of a record, such as "urn:gov:id|4711" or { system, value }',
];
export const id: Argument = ["id", isText, "text"];
export const extId: Argument = ["extId", isText, "text"];
export const reference: Argument = ["reference", isText, 'text, such as "Individual/urn:gov:id|4711"'];
export const state: Argument = ["to", isText, "the name of a state"];
/** Whatever its verb refuses itself, such as a body. */
export const anything: Argument = ["", () => true, ""];
export const parameters: Argument = [
  "parameters",
  (given = {}) => isObject(given),
  'an object of texts, such as { name: "Reyes" }',
];
export const request: Argument = [
  "request",
  (given = {}) => hasTexts(given, "limit", "cursor", "status", "type"),
  'an object of texts, such as { limit: "20" }',
];
export const details: Argument = [
  "details",
  (given = {}) => hasTexts(given, "reason", "expiryDate"),
  'an object of texts, such as { reason: "Moved away" }',
];
export const options: Argument = [
  "options",
  (given = {}) => isOptions(given),
  "an object, of which elements, extensions and reason are text, clockSkew is a whole number and idempotency is { key, fingerprint }",
];
export const feedRequest: Argument = [
  "request",
  (given) => isText(Object(given).feed) && hasTexts(given, "cursor", "elements", "extensions"),
  'an object with the name of a feed, such as { feed: "all" }; its cursor is text',
];
export const auditQuery: Argument = [
  "query",
  (given = {}) => hasTexts(given, "record", "clientId", "from", "below", "cursor"),
  "an object, of which record, clientId, from, below and cursor are text",
];
export const entries: Argument = ["entries", (given) => isEntries(given), entriesInWords];

function isEntries(given: unknown): boolean {
  return Array.isArray(given) && given.every(isEntry);
}

function entriesInWords(given: unknown): string {
  const words = 'a list of writes, such as [{ verb: "create", type: "Individual", body }]';
  if (!Array.isArray(given)) return words;
  const wrong = given.findIndex((entry) => !isEntry(entry));
  return `${words}; number ${wrong}, counted from 0, is none: look at its verb, its type and its address`;
}

/** What a write of each verb needs besides its type. */
const needs: Readonly<Record<string, (entry: Members) => boolean>> = {
  create: () => true,
  derive: ({ body }) => isFunction(body),
  update: (entry) => isAddress(entry.address) && isFunction(entry.change),
  replace: (entry) => isAddress(entry.address),
  patch: (entry) => isAddress(entry.address),
};

function isEntry(given: unknown): boolean {
  if (!isObject(given)) return false;
  const { verb, type } = given;
  if (!isText(verb) || !Object.hasOwn(needs, String(verb))) return false;
  return resourceTypes.some((known) => known === type) && needs[String(verb)]?.(given) === true;
}
