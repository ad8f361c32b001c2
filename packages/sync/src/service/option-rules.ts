import {
  hasMethods,
  isFunction,
  isJsonObject,
  isListOf,
  isText,
  mayBeFeed,
  type OptionRule,
  optional,
  refuseUnknownOptions,
  refuseWrongOptions,
} from "@fieldroll/core";
import { defaultPorts } from "../host.ts";
import type { HostPorts } from "../ports.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import { addressOf } from "../transport/address.ts";

const milliseconds: OptionRule = [
  (given) => typeof given === "number" && given > 0,
  "a number of milliseconds, such as 60_000",
];

const isFeed: OptionRule[0] = (given) => isText(given) && mayBeFeed(String(given));

const lookedAtAlone = ["server", "authServer", "store"] as const;

type Port = keyof HostPorts;
type Option = Exclude<keyof FieldServiceOptions, (typeof lookedAtAlone)[number]>;

/** One for each option, but for those ports that need none. */
const fieldRules = {
  feeds: optional([
    (given) => isListOf(given, isFeed) && Object(given).length > 0,
    'a list of feeds: "all", "programs", areas such as "area:PH/Cavite", or the server\'s own',
  ]),
  rules: optional([isJsonObject, "an object, such as { extensions: [farmer] }"]),
  automatic: optional([(given) => typeof given === "boolean", "true or false"]),
  photos: optional([(given) => given === "always" || given === "unmetered", '"always" or "unmetered"']),
  pollInterval: optional(milliseconds),
  requestTimeout: optional(milliseconds),
  fetch: optional([isFunction, "a function as fetch is"]),
  clock: optional([
    (given) => isFunction(given) && Number.isFinite((given as () => Partial<Date> | null)()?.getTime?.()),
    "a function that tells the present instant, such as () => new Date()",
  ]),
  random: optional([isFunction, "a function such as Math.random"]),
  newId: optional([isFunction, "a function that gives a new UUIDv7"]),
  origin: optional([
    (given) => given === null || isText(given),
    "the page's origin, such as location.origin, or null",
  ]),
} as const satisfies Readonly<Partial<Record<Port, OptionRule>> & Record<Exclude<Option, Port>, OptionRule>>;

const isNamed: OptionRule[0] = (given) => isText(given) && given !== "";

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

/**
 * Refuses options that are missing, of another kind or unknown, as plain JavaScript may give them.
 *
 * @returns the origin of the server
 * @throws TypeError
 */
export function checkedOrigin(options: FieldServiceOptions): string {
  refuseUnknownOptions("The options", options, [
    ...lookedAtAlone,
    ...Object.keys({ ...defaultPorts(), ...fieldRules }),
  ]);
  // Of no options at all, the address is the first that is missing.
  const origin = originOf(options?.server, "server", "https://registry.example/api/v2");
  if (options.authServer !== undefined) originOf(options.authServer, "authServer", "https://sign-in.example");
  if (!options.store?.commit)
    throw new TypeError("The option store must be an open store: await what opens it.");
  refuseWrongOptions("The options", options, fieldRules);
  refuseUnknownOptions("The option rules", options.rules, Object.keys(rulesRules));
  refuseWrongOptions("The option rules", options.rules, rulesRules);
  return origin;
}

/** @throws TypeError for what is no whole address: nothing could ever be sent there */
function originOf(given: unknown, name: string, example: string): string {
  const text = String(given);
  const address = isText(given) && addressOf(text);
  // Of `host:8080` the host is taken for a scheme; `fetch` refuses whatever has a user; and paths are put behind it all.
  if (address && /^https?:\/\/[^/@]+\/[^?#]*$/.test(address.href)) return address.origin;
  const said = given instanceof URL ? "a URL and not its text" : `"${text.replace(/^.*@/s, "…@")}"`;
  throw new TypeError(
    `The option ${name} must be a whole address such as ${example}, without a user, query or fragment; it is ${said}.`,
  );
}
