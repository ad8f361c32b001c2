import type { Individual } from "@fieldroll/core";
import type { Exchange } from "../../test/browser/kills/stage/gate.ts";
import { tokensOf } from "../../test/browser/kills/stage/tokens.ts";
import { type Promises, promisedTokens } from "./promises.ts";

/** Names what is promised and not there; `shown` has the tokens of each record, and `null` where there is no record. */
export function missing(
  promises: Promises,
  shown: (reference: string) => readonly string[] | null,
): readonly string[] {
  return [...promisedTokens(promises)].flatMap(([reference, tokens]) => {
    const there = shown(reference);
    if (there === null) return [`${reference} is not there, with ${tokens.join(", ")}`];
    return tokens.filter((token) => !there.includes(token)).map((token) => `${token} in ${reference}`);
  });
}

/** What a server has after everything was sent, and how it came to it. */
export interface Outcome {
  readonly everyone: readonly Individual[];
  readonly ledger: readonly Exchange[];
  /** Writes of the office by record. */
  readonly office: ReadonlyMap<string, { readonly given: string; readonly times: number }>;
  readonly promises: readonly Promises[];
}

/** Names every way in which edits were lost, applied twice, or wrote over what they had not seen. */
export function violations({ everyone, ledger, office, promises }: Outcome): readonly string[] {
  const people = new Map(everyone.map((person) => [referenceOf(person), person]));
  const shown = (reference: string) => {
    const person = people.get(reference);
    return person ? tokensOf(person) : null;
  };
  return [
    ...promises.flatMap((each) => missing(each, shown)).map((what) => `lost: ${what}`),
    ...everyone.flatMap((person) => foreign(person, promises)),
    ...[...office].flatMap(([reference, { given }]) =>
      people.get(reference)?.name.given === given ? [] : [`the office's ${given} of ${reference} is gone`],
    ),
    ...changedRequests(ledger),
    ...twice(ledger),
    ...everyone.flatMap((person) => brokenChain(person, ledger, office)),
  ];
}

/** The first reference by which a person goes. */
export function referenceOf({ identifier }: Pick<Individual, "identifier">): string {
  return `Individual/${identifier[0]?.system}|${identifier[0]?.value}`;
}

function foreign(person: Individual, promises: readonly Promises[]): readonly string[] {
  const tokens = tokensOf(person);
  return [
    ...tokens
      .filter((token, i) => tokens.indexOf(token) !== i)
      .map((token) => `${token} is twice in a record`),
    ...tokens
      .filter((token) => !promises.some(({ begun }) => begun.has(token)))
      .map((token) => `nobody made ${token}`),
  ];
}

/** Whatever is sent under one key is the same each time. */
function changedRequests(ledger: readonly Exchange[]): readonly string[] {
  const first = new Map<string, Exchange>();
  return ledger.flatMap((exchange) => {
    const known = first.get(exchange.key) ?? exchange;
    first.set(exchange.key, known);
    const same = known.path === exchange.path && known.body === exchange.body;
    const told = ({ method, path, body, status }: Exchange) => `${method} ${path} ${status} ${body}`;
    return same
      ? []
      : [
          `the request ${exchange.key} was sent again with another content: ${told(known)}, then ${told(exchange)}`,
        ];
  });
}

function twice(ledger: readonly Exchange[]): readonly string[] {
  const effects = new Set<string>();
  return ledger.filter(hadEffect).flatMap(({ key }) => {
    if (effects.has(key)) return [`the request ${key} had its effect twice`];
    effects.add(key);
    return [];
  });
}

function hadEffect({ status, replayed }: Exchange): boolean {
  return status < 300 && !replayed;
}

/** A record has as many versions as it had writes, each its own: none was made behind the ledger's back. */
function brokenChain(
  person: Individual,
  ledger: readonly Exchange[],
  office: Outcome["office"],
): readonly string[] {
  const reference = referenceOf(person);
  const writes = ledger.filter((exchange) => hadEffect(exchange) && exchange.reference === reference);
  const made = writes.some(({ method }) => method === "POST") ? 0 : 1;
  const expected = made + writes.length + (office.get(reference)?.times ?? 0);
  const version = Number(person.meta.versionId);
  const distinct = new Set(writes.map((exchange) => exchange.version)).size;
  if (distinct !== writes.length) return [`two writes made the same version of ${reference}`];
  return version === expected
    ? []
    : [`${reference} has version ${version} after ${expected} writes, the first included`];
}

/** Names the people of whom a device and the server have different copies. */
export function differences(
  onDevice: readonly unknown[],
  onServer: readonly Individual[],
): readonly string[] {
  const byReference = (people: readonly unknown[]) =>
    new Map((people as readonly Individual[]).map((person) => [referenceOf(person), canonical(person)]));
  const [device, server] = [byReference(onDevice), byReference(onServer)];
  const names = new Set([...device.keys(), ...server.keys()]);
  return [...names].flatMap((name) =>
    device.get(name) === server.get(name)
      ? []
      : [`${name} is ${device.get(name)} on the device, and ${server.get(name)} on the server`],
  );
}

/** A text that is the same for equal values, whatever the order of members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
