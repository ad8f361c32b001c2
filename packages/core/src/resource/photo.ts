import * as z from "zod";
import { wholeImage } from "./image.ts";
import { rule } from "./rule.ts";

/** The longest photo, as text: 5 MiB (contract section 2). */
export const maxPhotoLength = 5 * 1024 * 1024;

const head = /^data:(image\/(?:jpeg|png|webp));base64,/;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The smallest photo: one white pixel. */
export const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/** A photo as a data URI (RFC 2397) of a JPEG, PNG or WebP image, which is there from its beginning to its end. */
export const photoSchema = z
  .string()
  .meta({ maxLength: maxPhotoLength, pattern: "^data:image/(jpeg|png|webp);base64," })
  .check(
    rule((value, report) => {
      const fault = typeof value === "string" ? photoFault(value) : undefined;
      if (fault) report([], fault.code, fault.message);
    }),
  );

function photoFault(text: string): { code: string; message: string } | undefined {
  if (text.length > maxPhotoLength) {
    return {
      code: "too_long",
      message: `must be at most ${maxPhotoLength} characters; scale the image down`,
    };
  }
  const [start = "", type] = head.exec(text) ?? [];
  if (!isImageType(type)) {
    return {
      code: "invalid_value",
      message: "must be a data URI: data:image/jpeg;base64,… or image/png or image/webp",
    };
  }
  const bytes = decoded(text.slice(start.length));
  if (!bytes) return { code: "invalid_value", message: "must be base64 with padding (RFC 4648)" };
  if (!wholeImage[type](bytes)) {
    const message = `must hold an image of the type it states, ${type}, whole and with nothing after it`;
    return { code: "invalid_value", message };
  }
  return undefined;
}

function isImageType(type: string | undefined): type is keyof typeof wholeImage {
  return type !== undefined && type in wholeImage;
}

/** The six bits of each character of the alphabet, by its code; 255 for others. */
const digits = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = alphabet.indexOf(String.fromCharCode(code));
  return digit === -1 ? 255 : digit;
});

/** Decodes base64, or answers `undefined` where it is malformed. By hand: core knows neither Buffer nor atob. */
function decoded(base64: string): Uint8Array | undefined {
  if (base64.length % 4 !== 0) return undefined;
  const padding = Number(base64.endsWith("=")) + Number(base64.endsWith("=="));
  const end = base64.length - padding;
  const digit = (at: number) => (at < end ? (digits[base64.charCodeAt(at)] ?? 255) : 0);
  const bytes = new Uint8Array((base64.length / 4) * 3);
  /** Above 63 once a character was none of the alphabet. */
  let seen = 0;
  for (let from = 0, to = 0; from < base64.length; from += 4, to += 3) {
    const a = digit(from);
    const b = digit(from + 1);
    const c = digit(from + 2);
    const d = digit(from + 3);
    seen |= a | b | c | d;
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = (b << 4) | (c >> 2);
    bytes[to + 2] = (c << 6) | d;
  }
  return seen > 63 ? undefined : bytes.subarray(0, bytes.length - padding);
}
