import * as z from "zod";
import { isJsonObject, type Json, pointer } from "../../json.ts";
import { type FieldError, failure, invalid, type Outcome, success } from "../../problem.ts";
import { anyJson } from "../../resource/any-json.ts";
import { fieldErrors } from "../../resource/issues.ts";
import { list } from "../../resource/list.ts";
import { wholeNumber } from "../../resource/numbers.ts";
import { readPlain } from "../../resource/plain.ts";
import { line, nonEmptyLine } from "../../resource/strings.ts";
import type { IfMatch } from "../types.ts";
import { maxIfMatch, readIfMatch } from "./entry-if-match.ts";
import { maxEntries } from "./types.ts";

const methods = ["POST", "PUT", "PATCH", "GET"] as const;

/** One entry of a bundle whose form is right. */
export interface BundleEntry {
  /** DELETE is told apart from no method at all, though nothing that a bundle may hold has it. */
  readonly method: (typeof methods)[number] | "DELETE";
  readonly url: string;
  readonly fullUrl?: string;
  readonly ifMatch?: IfMatch;
  /** The idempotency key of this request alone, which it keeps in whatever bundle it travels. */
  readonly idempotencyKey?: string;
  /** As {@link TransactionOptions.clockSkew}, of this request alone. */
  readonly clockSkew?: number;
  /** The body of the request; none with GET. */
  readonly resource?: Json;
}

export interface Bundle {
  readonly type: "transaction" | "batch";
  readonly entries: readonly BundleEntry[];
}

/** Seconds: more than all clocks are wrong by, and ten digits. */
const maxSkew = 9_999_999_999;

const entrySchema = z.strictObject({
  fullUrl: nonEmptyLine(2000).exactOptional(),
  request: z.strictObject({
    method: z.enum(methods),
    url: nonEmptyLine(8000),
    ifMatch: line(maxIfMatch).exactOptional(),
    idempotencyKey: z
      .string()
      .meta({ maxLength: 255 })
      .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
      .exactOptional(),
    clockSkew: wholeNumber({ min: -maxSkew, max: maxSkew }).exactOptional(),
  }),
  resource: anyJson.exactOptional(),
});

/** A bundle as it is sent: contract section 5. */
export const bundleSchema = z.strictObject({
  resourceType: z.literal("Bundle"),
  type: z.enum(["transaction", "batch"]),
  entry: list(entrySchema, maxEntries).min(1),
});

/**
 * Reads a bundle: contract section 5. Every fault of its form is told at once, each at its pointer into the bundle; what an
 * entry asks for is judged later, entry by entry.
 */
export function parseBundle(body: unknown): Outcome<Bundle> {
  const count = entryCount(body);
  if (count > maxEntries) {
    const message = `must have at most ${maxEntries} entries, and has ${count}`;
    const errors = [{ field: "/entry", code: "too_many", message }];
    return failure({
      kind: "payload-too-large",
      detail: `/entry: ${message}. Send several bundles.`,
      errors,
    });
  }
  const plain = readPlain(body);
  if (!plain.ok) return plain;
  const { value } = plain;
  const listed = isJsonObject(value) ? value.entry : undefined;
  const parsed = bundleSchema.safeParse(withReadsForDeletes(value));
  const entries = (Array.isArray(listed) ? listed : []).map((entry: Json) =>
    isJsonObject(entry) ? entry : {},
  );
  const faults = [
    ...(parsed.success ? [] : fieldErrors(parsed.error.issues, value)),
    ...entries.flatMap((entry, i) => requestFaults(entry, i)),
    ...(isJsonObject(value) && value.type === "transaction" ? entries.flatMap(ownInTransaction) : []),
    ...sameNames(entries.map(({ fullUrl }) => fullUrl)),
  ];
  if (faults.length > 0 || !parsed.success) return failure(invalid(faults));
  const { type, entry } = parsed.data;
  return success({
    type,
    entries: entry.map(({ fullUrl, request: { ifMatch, ...request }, resource }, i) => {
      const tags = ifMatch === undefined ? undefined : readIfMatch(ifMatch);
      return {
        ...request,
        ...(isDelete(entries[i]) && { method: "DELETE" as const }),
        ...(fullUrl !== undefined && { fullUrl }),
        ...(tags !== undefined && { ifMatch: tags }),
        ...(resource !== undefined && { resource: resource as Json }),
      };
    }),
  });
}

/** Entries are counted before anything of them is looked at. */
function entryCount(body: unknown): number {
  const { entry } = Object(body) as { readonly entry?: unknown };
  return Array.isArray(entry) ? entry.length : 0;
}

function isDelete(entry: Json | undefined): boolean {
  return isJsonObject(entry) && isJsonObject(entry.request) && entry.request.method === "DELETE";
}

/** An entry that deletes has the form of one that reads. */
function withReadsForDeletes(bundle: Json): Json {
  if (!isJsonObject(bundle) || !Array.isArray(bundle.entry)) return bundle;
  const entry = bundle.entry.map((one: Json) =>
    isJsonObject(one) && isJsonObject(one.request) && isDelete(one)
      ? { ...one, request: { ...one.request, method: "GET" } }
      : one,
  );
  return { ...bundle, entry };
}

/** What a schema of one member can't see: a body belongs to every method but GET, a precondition to what exists. */
function requestFaults({ request, resource }: Record<string, Json>, entry: number): FieldError[] {
  if (!isJsonObject(request)) return [];
  const { method, ifMatch } = request;
  const errors: FieldError[] = [];
  const at = (...path: readonly string[]) => pointer(["entry", entry, ...path]);
  const hasBody = resource !== undefined;
  if ((method === "GET" || method === "DELETE") && hasBody) {
    const message = `has no place beside ${method}; take it away`;
    errors.push({ field: at("resource"), code: "unknown_field", message });
  }
  if (["POST", "PUT", "PATCH"].includes(String(method)) && !hasBody) {
    errors.push({ field: at("resource"), code: "required", message: "must be given" });
  }
  for (const name of method === "GET" ? ownMembers : []) {
    if (request[name] === undefined) continue;
    const message = "has no place beside GET; take it away";
    errors.push({ field: at("request", name), code: "unknown_field", message });
  }
  // A longer one has its fault already, and is not looked at.
  if (typeof ifMatch !== "string" || ifMatch.length > maxIfMatch) return errors;
  if (method === "GET") {
    const message = "has no place beside GET; take it away";
    errors.push({ field: at("request", "ifMatch"), code: "unknown_field", message });
  } else if (readIfMatch(ifMatch) === undefined) {
    const message = 'must be "<versionId>", a list of such, or *';
    errors.push({ field: at("request", "ifMatch"), code: "invalid_value", message });
  }
  return errors;
}

/** What an entry says of itself that single requests say by a header. */
const headers = { idempotencyKey: "Idempotency-Key", clockSkew: "X-Clock-Skew" } as const;
const ownMembers = ["idempotencyKey", "clockSkew"] as const;

/** All of a transaction happens or nothing does: one header stands for it. */
function ownInTransaction({ request }: Record<string, Json>, entry: number): FieldError[] {
  if (!isJsonObject(request)) return [];
  return ownMembers.flatMap((name) => {
    if (request[name] === undefined) return [];
    const message = `has no place in a transaction; send one ${headers[name]} with the bundle`;
    return [{ field: pointer(["entry", entry, "request", name]), code: "unknown_field", message }];
  });
}

function sameNames(names: readonly (Json | undefined)[]): FieldError[] {
  return names.flatMap((name, i) => {
    const first = names.indexOf(name);
    if (typeof name !== "string" || first === i) return [];
    const message = `is the fullUrl of entry ${first} already; give each entry its own`;
    return [{ field: pointer(["entry", i, "fullUrl"]), code: "duplicate", message }];
  });
}
