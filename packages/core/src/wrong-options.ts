import { nearestName } from "./resource/nearest-name.ts";

/** Whether what is given for an option may be meant, and what has to be given, in words. */
export type OptionRule = readonly [isRight: (given: unknown) => boolean, words: string];

/**
 * Says what is wrong with the options of a call, as plain JavaScript may make it: left to itself it would fail later, and far
 * from here. Options without a rule are nobody's business.
 *
 * @param call the name of the function, with which the sentence begins
 * @returns the sentence, or `undefined` where nothing is wrong
 */
export function wrongOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): string | undefined {
  const given = Object(options);
  const wrong = Object.entries(rules).filter(([name, [isRight]]) => !isRight(given[name]));
  if (wrong.length === 0) return undefined;
  return `${call}: ${wrong.map(([name, [, words]]) => `${name} must be ${words}`).join("; ")}.`;
}

/**
 * Refuses the options of a call: see {@link wrongOptions}.
 *
 * @throws TypeError
 */
export function refuseWrongOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  const wrong = wrongOptions(call, options, rules);
  if (wrong !== undefined) throw new TypeError(wrong);
}

/**
 * Refuses an option that there is not, such as a misspelt one: passed over, it would seem to hold.
 *
 * @param call with which the sentence begins
 * @param names of all options that there are
 * @throws TypeError that says which option was meant, where one has nearly its name
 */
export function refuseUnknownOptions(call: string, options: unknown, names: readonly string[]): void {
  const unknown = Object.keys(Object(options)).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const meant = nearestName(unknown, names);
  throw new TypeError(`${call}: there is no option ${unknown}${meant ? `: did you mean "${meant}"?` : "."}`);
}

/** The rule of an option that may be left out. */
export function optional([isRight, words]: OptionRule): OptionRule {
  return [(given) => given === undefined || isRight(given), words];
}

export function isFunction(given: unknown): boolean {
  return typeof given === "function";
}

export function isText(given: unknown): boolean {
  return typeof given === "string";
}

export function isListOf(given: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(given) && given.every(isItem);
}

/** Whether something has these methods: what a class of another copy of a package makes has them too. */
export function hasMethods(given: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => isFunction(Object(given)[name]));
}

/** The rules of what many calls ask for. */
export const optionRules = {
  store: [
    (given) => hasMethods(given, "get", "resolve", "query", "changes", "commit"),
    "a store, such as createMemoryStore() or what openSqliteStore resolves to",
  ],
  clock: [isFunction, "a function that tells the present instant, such as () => new Date()"],
  newId: [isFunction, "a function that gives a new UUIDv7, such as v7 of the package uuid"],
} as const satisfies Readonly<Record<string, OptionRule>>;

/**
 * A clock that tells at its first use when it gives no instant.
 *
 * @throws TypeError from the clock that it makes
 */
export function checkedClock(call: string, clock: () => Date): () => Date {
  return () => {
    const now: Partial<Date> | null | undefined = clock();
    if (Number.isFinite(now?.getTime?.())) return now as Date;
    throw new TypeError(`${call}: clock must give a valid Date, such as new Date(); it gave ${String(now)}.`);
  };
}

/**
 * A source of ids that tells at its first use when it gives none.
 *
 * @throws TypeError from the source that it makes
 */
export function checkedIds(call: string, newId: () => string): () => string {
  return () => {
    const id: unknown = newId();
    if (typeof id === "string" && id !== "") return id;
    throw new TypeError(
      `${call}: newId must give a new UUIDv7 as text at each call; it gave ${String(id) || "an empty one"}.`,
    );
  };
}
