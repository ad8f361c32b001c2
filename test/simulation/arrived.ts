import type { JsonObject } from "@fieldroll/core";
import type { SimulatedServer } from "./server.ts";

/** What may become of an edit that is not at the server in the end. */
type End =
  | "given up"
  | "lost with the disk"
  | "not on the tablet any more"
  | "its record is lost"
  | "told of";

/** An edit that a tablet has said is durable. */
export interface Promised {
  readonly device: string;
  /** Who made it, as far as it was still unsent when it was promised. */
  readonly by: string | undefined;
  /** How many edits were promised before. */
  readonly nth: number;
  /** In which line of the ledger it was seen first. */
  line: number | null;
  /** Which record it was in when the server lost it, and how long the ledger was then. */
  returns: { readonly name: string; readonly since: number } | null;
  /** Of what was given up: whether no request has ever had it, so that it must not arrive. */
  isUntried?: boolean;
  /** Whether the disk is lost that kept it when it had arrived, to give it to a restored server again. */
  unkept: boolean;
  over: End | null;
}

/** The tokens in a record, each as often as it is there. */
export function tokensIn({ telecom }: JsonObject): readonly string[] {
  const items = Array.isArray(telecom) ? (telecom as readonly JsonObject[]) : [];
  return items.flatMap(({ system, value }) => (system === "fax" ? [String(value)] : []));
}

/** What is wrong with an edit that a server has just got. @param sender who sent it */
export function wrongArrival(
  token: string,
  { by, returns, isUntried }: Promised,
  sender: string | undefined,
): readonly string[] {
  const isStrange = by !== undefined && by !== sender && !returns;
  return [
    ...(isUntried ? [`I2: the edit ${token} was sent after it had been given up`] : []),
    ...(isStrange ? [`I12: the edit ${token} of ${by} was sent by ${sender}`] : []),
  ];
}

/** What is known of a run when it has come to rest. */
interface Ended {
  readonly tokens: ReadonlyMap<string, Promised>;
  /** Whether work goes from tablet to tablet in files. */
  readonly isCarried: boolean;
  /** How long the ledger was whenever the server went back to a backup. */
  readonly restores: readonly number[];
}

/** I1 and I2: what arrived is there, once, in one record. @returns how many edits are there twice where nothing could tell */
export function checkOnce(server: SimulatedServer, ended: Ended, violations: string[]): number {
  const places = new Map<string, string[]>();
  for (const [key, { body }] of server.medium.collections.get("Individual") ?? []) {
    const { record } = body as { record: JsonObject };
    for (const token of tokensIn(record)) places.set(token, [...(places.get(token) ?? []), key]);
  }
  let untold = 0;
  for (const [token, { device, over }] of ended.tokens) {
    const there = places.get(token) ?? [];
    if (there.length > 1) {
      if (isUntold(server, there, ended)) untold++;
      else violations.push(`I2: the edit ${token} of ${device} is there ${there.length} times`);
    }
    if (there.length === 0 && over === null)
      violations.push(`I1: the edit ${token} of ${device} is not there at the end`);
  }
  return untold;
}

/**
 * Whether records were made of one registration that went into a file, where nothing was left by which a server could know it again:
 * restored in between, it had forgotten the request, and the office had taken away the identifier that the tablet made.
 * It is told among what a restored server can't tell, in the decisions.
 */
function isUntold({ ledger, records }: SimulatedServer, keys: readonly string[], ended: Ended): boolean {
  if (!ended.isCarried || new Set(keys).size < keys.length) return false;
  const makings = keys.map((key) => ledger.findLastIndex((line) => line.key === key && line.version === 1));
  const [made] = makings.flatMap((at) => madeByDevice(ledger[at]?.record));
  const isOne = makings.every((at) => madeByDevice(ledger[at]?.record).includes(String(made)));
  const first = ledger.findIndex(({ record }) => madeByDevice(record).includes(String(made)));
  const isForgotten = ended.restores.some((length) => length > first && length <= Math.max(...makings));
  const holders = records().filter(({ record }) => madeByDevice(record).includes(String(made)));
  return made !== undefined && isOne && isForgotten && holders.length < 2;
}

/** The identifiers of a record that a tablet made. */
function madeByDevice({ identifier }: JsonObject = {}): readonly string[] {
  const list = Array.isArray(identifier) ? (identifier as readonly JsonObject[]) : [];
  return list.flatMap(({ system, value }) =>
    String(system).endsWith(":registrant") ? [`${system}|${value}`] : [],
  );
}

/**
 * I3: a tablet's edits of one record arrive in the order in which they were made. What the server lost comes back with its tablet, or
 * in the list of another one that has seen it, and what went with a disk may be in a file: later, all, than what was sent meanwhile.
 */
export function checkOrder(
  server: SimulatedServer,
  { tokens, isCarried }: Ended,
  violations: string[],
): void {
  const last = new Map<string, Promised>();
  for (const [token, promised] of [...tokens].sort(([, a], [, b]) => a.nth - b.nth)) {
    const line = promised.line === null ? undefined : server.ledger[promised.line];
    if (!line || promised.line === null || cameOtherwise(promised, { by: line.by, isCarried })) continue;
    // Somebody with two tablets may do one thing on each.
    const who = `${promised.device} ${promised.by ?? promised.device}`;
    const name = `${who} ${line.type}/${line.key}`;
    const before = last.get(name);
    if (before && (before.line ?? 0) > promised.line) {
      violations.push(
        `I3: the edit ${token} of ${promised.device} arrived before an earlier one of the same record`,
      );
    }
    last.set(name, promised);
  }
}

/** Whether an edit was lost, and may have come back in a file or with another tablet: when, nobody promises. */
function cameOtherwise(
  { by, over, returns }: Promised,
  sent: { readonly by: string; readonly isCarried: boolean },
): boolean {
  if (sent.isCarried) return over !== null || returns !== null;
  return returns !== null && by !== undefined && by !== sent.by;
}
