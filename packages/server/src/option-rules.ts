import {
  type BudgetLimits,
  hasMethods,
  isFunction,
  isListOf,
  isText,
  type OptionRule,
  optional,
} from "@fieldroll/core";
import type { CrossOrigin } from "./http/cross-origin.ts";
import { parseNetwork } from "./http/network-address.ts";
import { isRateLimit } from "./http/rate-limit.ts";

/** The rules of options that several calls of this package take. */
export const text = optional([isText, "text"]);
export const callback = optional([isFunction, "a function"]);
export const address = optional([isAddress, "a whole address, such as https://registry.example"]);
export const clock = optional([
  isFunction,
  "a function that tells the present instant, such as () => new Date()",
]);
export const amount = optional([isAmount, "a number, 0 or more"]);
export const positive = optional([(given) => isAmount(given) && given !== 0, "a number above 0"]);
export const texts: OptionRule = [(given) => isListOf(given, isText), "a list of texts"];
export const networks = optional([
  (given) => isListOf(given, (one) => typeof one === "string" && parseNetwork(one) !== undefined),
  "a list of addresses and networks, such as 10.0.0.0/8",
]);
export const rateLimit = optional([
  isRateLimit,
  '{ perSecond, burst }, more than 0 a second and 1 or more at once, or "off"',
]);
export const cors = optional([
  (given) => hasOrigins(Object(given)),
  'the origins whose pages may call, such as { origins: ["https://app.example"] }',
]);
export const budget = optional([
  (given) => isBudget(Object(given)),
  "limits above 0: { records, bytes, milliseconds }, each of them or none",
]);
export const handler: OptionRule = [isFunction, "a function of a Request, such as createHandler makes"];
export const secrets: OptionRule = [
  (given) => hasMethods(given, "hash", "verify"),
  "what hashes secrets, such as scryptSecrets()",
];

/** Whether something finds clients: a list has a method of that name too. */
export function isDirectory(given: unknown): boolean {
  return hasMethods(given, "find") && !Array.isArray(given);
}

function isAddress(given: unknown): boolean {
  return typeof given === "string" && URL.canParse(given);
}

function isAmount(given: unknown): boolean {
  return typeof given === "number" && given >= 0;
}

function isBudget({ records = 1, bytes = 1, milliseconds = 1 }: Partial<BudgetLimits>): boolean {
  return [records, bytes, milliseconds].every((given) => typeof given === "number" && given > 0);
}

function hasOrigins({ origins }: Partial<CrossOrigin>): boolean {
  return origins === "*" || isListOf(origins, isText);
}
