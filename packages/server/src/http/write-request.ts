import {
  failure,
  type Outcome,
  type Problem,
  type ReadOptions,
  readShown,
  success,
  type WriteOptions,
} from "@fieldroll/core";
import { checkParameters, type Exchange } from "./exchange.ts";
import { readIdempotency } from "./idempotency.ts";
import { parseIfMatch } from "./preconditions.ts";

/** Which part of a record the query asks for: `_elements` and `_extensions`, and of parameters nothing but these and `others`; `faults` of those are told too. */
export function readOptions(
  exchange: Exchange,
  others: readonly string[] = [],
  faults: readonly (Problem | undefined)[] = [],
): Outcome<ReadOptions> {
  if (!exchange.request.url.includes("?")) return success({});
  const { url } = exchange;
  const known = ["_elements", "_extensions", ...others];
  const checked = checkParameters(url, known, faults);
  if (!checked.ok) return checked;
  const query = url.searchParams;
  const elements = query.get("_elements");
  const extensions = query.get("_extensions");
  return success({
    ...(elements === null ? {} : { elements }),
    ...(extensions === null ? {} : { extensions }),
  });
}

/** What a write is about. */
interface WriteTarget {
  /** The body as sent; empty when there was none. */
  readonly bytes: Uint8Array;
  /** The record or collection, written the same way however its path was encoded. */
  readonly target: string;
}

/** Reads what a write carries besides its body: precondition, idempotency key, and which part of the record to answer. */
export async function writeOptions(
  exchange: Exchange,
  { bytes, target }: WriteTarget,
): Promise<Outcome<WriteOptions>> {
  const shown = readOptions(exchange);
  if (!shown.ok) return shown;
  const { method, headers } = exchange.request;
  const ifMatch = parseIfMatch(headers.get("If-Match"));
  if (!ifMatch.ok) return ifMatch;
  const clockSkew = readClockSkew(headers.get("X-Clock-Skew"));
  if (!clockSkew.ok) return clockSkew;
  const told = headers.get("X-Record-Shows");
  const key = headers.get("Idempotency-Key");
  const idempotency = await readIdempotency({ key, method, target, body: bytes });
  if (!idempotency.ok) return idempotency;
  return success({
    ...shown.value,
    ...(ifMatch.value === undefined ? {} : { ifMatch: ifMatch.value }),
    ...(idempotency.value === undefined ? {} : { idempotency: idempotency.value }),
    ...(clockSkew.value === undefined ? {} : { clockSkew: clockSkew.value }),
    ...(told === null ? {} : { shown: readShown(told) }),
  });
}

/** Reads by how many seconds the device's clock was ahead when what is sent was made: contract section 5. */
function readClockSkew(header: string | null): Outcome<number | undefined> {
  if (header === null) return success(undefined);
  if (/^-?\d{1,10}$/.test(header)) return success(Number(header));
  const message = "must be a whole number of seconds, of at most ten digits";
  const errors = [{ field: "X-Clock-Skew", code: "invalid_header", message }];
  return failure({ kind: "bad-request", detail: `The header X-Clock-Skew ${message}.`, errors });
}
