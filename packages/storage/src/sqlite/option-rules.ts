import { hasMethods, isFunction, isListOf, isText, type OptionRule, optional } from "@fieldroll/core";

type Rules = Readonly<Record<string, OptionRule>>;

const path: OptionRule = [isText, 'the path of a file, such as "registry.db"'];
const open = optional([
  isFunction,
  "a function that opens the file of a path, such as (path) => new Database(path)",
]);
const substringIndexes = optional([
  (given) => isListOf(given, isText),
  'a list of the names of indexes, such as ["name"]',
]);

const durability: Rules = {
  durability: optional([(given) => given === "full" || given === "normal", '"full" or "normal"']),
  afterCrash: optional([(given) => given === "check" || given === "open", '"check" or "open"']),
  create: optional([(given) => typeof given === "boolean", "true or false"]),
  substringIndexes,
};

/** What an open database must have to be used as a client. */
export function isClient(given: unknown): boolean {
  return hasMethods(given, "prepare", "exec", "close");
}

export const byPath: Rules = {
  path: [path[0], `${path[1]}, unless the option client is given`],
  open,
  ...durability,
};

export const byClient: Rules = {
  client: [isClient, "an open database of better-sqlite3 or node:sqlite"],
  name: optional([isText, "text"]),
  ...durability,
};

export const backupRules: Rules = {
  path,
  to: path,
  open,
  prepare: optional([isFunction, "a function that works on the copy"]),
};

export const loadRules: Rules = {
  path,
  documents: [isIterable, "an iterable of lists of documents, such as [[document]]"],
  open,
  substringIndexes,
};

function isIterable(given: unknown): boolean {
  return isFunction(Object(given)[Symbol.asyncIterator]) || isFunction(Object(given)[Symbol.iterator]);
}
