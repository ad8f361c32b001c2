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
  /** Whether the disk is lost that kept it when it had arrived, to give it to a restored server again. */
  unkept: boolean;
  over: End | null;
}

/** The tokens in a record, each as often as it is there. */
export function tokensIn({ telecom }: JsonObject): readonly string[] {
  const items = Array.isArray(telecom) ? (telecom as readonly JsonObject[]) : [];
  return items.flatMap(({ system, value }) => (system === "url" ? [String(value)] : []));
}

/** I1 and I2: what arrived is there, once, in one record. */
export function checkOnce(
  server: SimulatedServer,
  tokens: ReadonlyMap<string, Promised>,
  violations: string[],
): void {
  const times = new Map<string, number>();
  for (const { body } of server.medium.collections.get("Individual")?.values() ?? []) {
    const { record } = body as { record: JsonObject };
    for (const token of tokensIn(record)) times.set(token, (times.get(token) ?? 0) + 1);
  }
  for (const [token, { device, over }] of tokens) {
    const there = times.get(token) ?? 0;
    if (there > 1) violations.push(`I2: the edit ${token} of ${device} is there ${there} times`);
    if (there === 0 && over === null)
      violations.push(`I1: the edit ${token} of ${device} is not there at the end`);
  }
}

/**
 * I3: a tablet's edits of one record arrive in the order in which they were made. What the server lost comes back with its tablet, or
 * in the list of another one that has seen it, and what went with a disk may be in a file: later, all, than what was sent meanwhile.
 */
export function checkOrder(
  server: SimulatedServer,
  { tokens, isCarried }: { readonly tokens: ReadonlyMap<string, Promised>; readonly isCarried: boolean },
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
