import {
  hasMethods,
  isFunction,
  isJsonObject,
  isListOf,
  isText,
  type OptionRule,
  optional,
  refuseWrongOptions,
} from "@fieldroll/core";
import type { FieldServiceOptions } from "../service-options.ts";

const milliseconds: OptionRule = [
  (given) => typeof given === "number" && given > 0,
  "a number of milliseconds, such as 60_000",
];

/** What may be left out, where `server` and `store` are looked at by themselves. */
const fieldRules = {
  authServer: optional([isText, "an address as text, such as https://sign-in.example"]),
  feeds: optional([
    (given) => isListOf(given, isText),
    'a list of feeds, such as ["programs", "area:PH/Cavite"]',
  ]),
  automatic: optional([(given) => typeof given === "boolean", "true or false"]),
  photos: optional([(given) => given === "always" || given === "unmetered", '"always" or "unmetered"']),
  pollInterval: optional(milliseconds),
  requestTimeout: optional(milliseconds),
  fetch: optional([isFunction, "a function as fetch is"]),
  clock: optional([isFunction, "a function that tells the present instant, such as () => new Date()"]),
  random: optional([isFunction, "a function such as Math.random"]),
  newId: optional([isFunction, "a function that gives a new UUIDv7"]),
  origin: optional([
    (given) => given === null || isText(given),
    "the page's origin, such as location.origin, or null",
  ]),
} as const satisfies Readonly<Record<string, OptionRule>>;

const isNamed: OptionRule[0] = (given) => isText(given) && given !== "";

/** The members of `rules`, which are few: one that is none of them was meant to be one. */
const rulesRules = {
  namespace: optional([isNamed, 'a word, such as "service"']),
  vocabularies: optional([
    (given) =>
      isJsonObject(given) && Object.values(given).every((list) => isListOf(Object(list).codes, isText)),
    'lists of codes by their system, such as { "urn:example:sex": { codes: ["f", "m"] } }',
  ]),
  extensions: optional([
    (given) => isListOf(given, isDeclaration),
    "a list of declarations of extensions, such as [farmer]",
  ]),
  capabilities: optional([
    (given) => isJsonObject(given) && [undefined, true, false].includes(given.programs as boolean),
    "{ programs: true } or { programs: false }",
  ]),
} as const satisfies Readonly<Record<string, OptionRule>>;

function isDeclaration(given: unknown): boolean {
  const { name, appliesTo, schema } = Object(given);
  return isNamed(name) && isListOf(appliesTo, isText) && hasMethods(schema, "safeParse");
}

/** @throws TypeError */
function refuseWrongRules(rules: unknown): void {
  const names = Object.keys(rulesRules);
  const isRules = (given: unknown) =>
    isJsonObject(given) && Object.keys(given).every((name) => names.includes(name));
  const words = `an object with nothing but ${names.join(", ")}`;
  refuseWrongOptions("The options", { rules }, { rules: optional([isRules, words]) });
  refuseWrongOptions("The option rules", rules, rulesRules);
}

/**
 * Refuses options that are missing or of another kind, as plain JavaScript may give them.
 *
 * @returns the origin of the server
 * @throws TypeError
 */
export function checkedOrigin(options: FieldServiceOptions): string {
  // Of no options at all, the address is the first that is missing.
  const origin = originOf(options?.server);
  if (!options.store?.commit)
    throw new TypeError("The option store must be an open store: await what opens it.");
  refuseWrongOptions("The options", options, fieldRules);
  refuseWrongRules(options.rules);
  return origin;
}

/** @throws TypeError for what is no whole address: nothing could ever be sent there */
function originOf(server: unknown): string {
  const address = typeof server === "string" && URL.canParse(server) ? new URL(server) : undefined;
  // Of `host:8080` the host is taken for a scheme.
  if (address && /^https?:$/.test(address.protocol)) return address.origin;
  const example = "https://registry.example/api/v2";
  const given = server instanceof URL ? "a URL and not its text" : `"${server}"`;
  throw new TypeError(`The option server must be a whole address such as ${example}; it is ${given}.`);
}
