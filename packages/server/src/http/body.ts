import { type Budget, failure, type Json, type Outcome, type Problem, success } from "@fieldroll/core";
import { jsonFault, sentenceOf } from "./json-fault.ts";
import { faultOfJson } from "./json-text.ts";
import { costOfBytes, type Quota } from "./rate-limit.ts";

/** Largest body of a request in bytes, 8 MiB: contract section 8. */
export const maxBodyBytes = 8 * 1024 * 1024;

/** A request, and what its client may still send: a body is taken from it too. A long body waits for its turn. */
export interface Sent {
  readonly request: Request;
  readonly quota: Pick<Quota, "charge">;
  readonly budget: Pick<Budget, "handle">;
}

/** A body as sent and as understood. */
export interface JsonBody {
  readonly bytes: Uint8Array;
  readonly value: Json;
}

/**
 * Reads a body of JSON in one of the accepted media types.
 * Another type is `unsupported-media-type`, too many bytes `payload-too-large`, anything unreadable `bad-request`.
 */
export async function readJson(
  { request, quota, budget }: Sent,
  types: readonly string[],
): Promise<Outcome<JsonBody>> {
  const type = mediaType(request);
  if (!types.includes(type)) {
    return failure(untyped(type, types));
  }
  const encoding = request.headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") return failure(encoded);
  const bytes = await readBytes(request, maxBodyBytes);
  if (!bytes.ok) return bytes;
  quota.charge(costOfBytes(bytes.value.byteLength));
  await budget.handle(bytes.value.byteLength);
  const value = parseJson(bytes.value);
  return value.ok ? success({ bytes: bytes.value, value: value.value }) : value;
}

/** As {@link readJson}, where a body may be left out. */
export async function readOptionalJson(
  sent: Sent,
  types: readonly string[],
): Promise<Outcome<JsonBody | undefined>> {
  const { request } = sent;
  if (request.headers.has("Content-Type")) {
    const hasBody = request.body !== null && request.headers.get("Content-Length") !== "0";
    return hasBody ? readJson(sent, types) : success(undefined);
  }
  const bytes = await readBytes(request, maxBodyBytes);
  if (!bytes.ok) return bytes;
  return bytes.value.byteLength === 0 ? success(undefined) : failure(untyped("", types));
}

/** The media type of a request in lower case, without parameters. */
export function mediaType(request: Request): string {
  return (request.headers.get("Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Reads a body up to a limit in bytes, whether or not its length was announced. */
export async function readBytes(request: Request, limit: number): Promise<Outcome<Uint8Array>> {
  const announced = request.headers.get("Content-Length");
  if (Number(announced ?? 0) > limit) return tooLarge(limit);
  const bytes = await gather(request, limit);
  if (!bytes.ok || announced === null || Number(announced) === bytes.value.byteLength) return bytes;
  return malformed("is not as long as its Content-Length says");
}

/** A connection may have broken, or sent chunks that are none, before anybody asks for the body: then asking throws. */
function readerOf(request: Request) {
  try {
    return request.body?.getReader() ?? "none";
  } catch {
    return "broken";
  }
}

async function gather(request: Request, limit: number): Promise<Outcome<Uint8Array>> {
  const reader = readerOf(request);
  if (reader === "broken") return malformed("broke off before its end");
  if (reader === "none") return success(new Uint8Array());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const next = await reader.read().catch(() => undefined);
    if (!next) return malformed("broke off before its end");
    if (next.done) return success(joined(chunks, size));
    size += next.value.byteLength;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      return tooLarge(limit);
    }
    chunks.push(next.value);
  }
}

/** Reads JSON from bytes of UTF-8 and refuses what {@link faultOfJson} finds. */
export function parseJson(bytes: Uint8Array): Outcome<Json> {
  if (bytes.byteLength === 0) return malformed("is empty");
  const text = decodedUtf8(bytes);
  if (text === undefined) return malformed("is not UTF-8");
  try {
    const fault = faultOfJson(text);
    return fault ? failure(fault) : success(JSON.parse(text) as Json);
  } catch {
    const fault = jsonFault(text);
    return malformed(`is not JSON${fault ? `; ${sentenceOf(fault)}` : ""}`);
  }
}

function untyped(type: string, types: readonly string[]): Problem {
  return {
    kind: "unsupported-media-type",
    detail: `The body is ${type || "of no stated type"}. Send it with Content-Type: ${types.join(" or ")}.`,
  };
}

const encoded: Problem = {
  kind: "unsupported-media-type",
  detail: "The body has a Content-Encoding. Send it as it is, without compression.",
};

function decodedUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function malformed(what: string): Outcome<never> {
  return failure({
    kind: "bad-request",
    detail: `The body ${what}. Send one JSON object in UTF-8.`,
    errors: [{ field: "", code: "malformed_body", message: what }],
  });
}

function tooLarge(limit: number): Outcome<never> {
  return failure({
    kind: "payload-too-large",
    detail: `The body is larger than ${limit} bytes. Send less at a time, or a smaller photo.`,
  });
}
