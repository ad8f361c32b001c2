import { isJsonObject, type Json } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";

/**
 * Cursors are opaque to clients: JSON in base64url with the fingerprint of what they belong to, so that one
 * given for another query, feed or view is refused and never answers something else.
 */
export function writeCursor(belongsTo: string, position: Json): string {
  return base64url(JSON.stringify([fingerprint(belongsTo), position]));
}

/** Reads a cursor back; one that was not made for `belongsTo` is a `bad-request`. */
export function readCursor(belongsTo: string, cursor: string): Outcome<Json> {
  const parsed = parse(cursor);
  if (Array.isArray(parsed) && parsed.length === 2 && parsed[0] === fingerprint(belongsTo))
    return success(parsed[1]);
  return failure({
    kind: "bad-request",
    detail: "The cursor does not belong to this request. Start again without a cursor.",
    errors: [{ field: "cursor", code: "invalid_cursor", message: "is not a cursor of this query" }],
  });
}

/** The position of a search cursor, or a refusal when it has another shape. */
export function isPosition(value: Json): value is { value: string | null; key: string } {
  return (
    isJsonObject(value) &&
    typeof value.key === "string" &&
    (value.value === null || typeof value.value === "string")
  );
}

function parse(cursor: string): Json | undefined {
  try {
    return JSON.parse(fromBase64url(cursor)) as Json;
  } catch {
    return undefined;
  }
}

/** A 53-bit hash (cyrb53): tells queries apart; it protects nothing. */
function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** UTF-8 in base64url without padding (RFC 4648 section 5). */
function base64url(text: string): string {
  const bytes = [...encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/gs)].map((match) =>
    match[1] ? Number.parseInt(match[1], 16) : (match[2] ?? "").charCodeAt(0),
  );
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [x = 0, y = 0, z = 0] = bytes.slice(i, i + 3);
    const bits = (x << 16) | (y << 8) | z;
    const chars = [bits >> 18, (bits >> 12) & 63, (bits >> 6) & 63, bits & 63].map((n) => alphabet[n]);
    out += chars.slice(0, Math.min(bytes.length - i, 3) + 1).join("");
  }
  return out;
}

function fromBase64url(text: string): string {
  const digits = [...text].map((char) => alphabet.indexOf(char));
  if (digits.includes(-1)) throw new SyntaxError("not base64url");
  let escaped = "";
  for (let i = 0; i < digits.length; i += 4) {
    const part = digits.slice(i, i + 4);
    const bits = part.reduce((sum, digit, place) => sum | (digit << (18 - 6 * place)), 0);
    const bytes = [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255].slice(0, part.length - 1);
    escaped += bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  }
  return decodeURIComponent(escaped);
}
