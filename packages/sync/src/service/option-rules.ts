import { isFunction, isListOf, isText, type OptionRule, optional, refuseWrongOptions } from "@fieldroll/core";
import type { FieldServiceOptions } from "../service-options.ts";

const milliseconds: OptionRule = [
  (given) => typeof given === "number" && given > 0,
  "a number of milliseconds, such as 60_000",
];

/** What may be left out, where `server` and `store` are looked at by themselves. */
const fieldRules = {
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
} as const satisfies Readonly<Record<string, OptionRule>>;

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
  return origin;
}

/** @throws TypeError for what is no whole address: nothing could ever be sent there */
function originOf(server: string): string {
  try {
    const { origin, protocol } = new URL(server);
    // Of `host:8080` the host is taken for a scheme.
    if (/^https?:$/.test(protocol)) return origin;
  } catch {
    // Said below.
  }
  const example = "https://registry.example/api/v2";
  throw new TypeError(`The option server must be a whole address such as ${example}; it is "${server}".`);
}
