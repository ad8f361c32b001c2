import * as z from "zod";
import { wholeImage } from "./image.ts";
import { rule } from "./rule.ts";

/** The longest photo, as text: 5 MiB (contract section 2). */
export const maxPhotoLength = 5 * 1024 * 1024;

const head = /^data:(image\/(?:jpeg|png|webp));base64,/;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

const digits = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(code))),
);

/** Decodes base64, or answers `undefined` where it is malformed. By hand: core knows neither Buffer nor atob. */
function decoded(base64: string): Uint8Array | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const digit = (at: number) => digits[base64.charCodeAt(at)] ?? 0;
  const bytes = new Uint8Array((base64.length / 4) * 3);
  for (let from = 0, to = 0; from < base64.length; from += 4, to += 3) {
    const bits = (digit(from) << 18) | (digit(from + 1) << 12) | (digit(from + 2) << 6) | digit(from + 3);
    bytes[to] = bits >> 16;
    bytes[to + 1] = bits >> 8;
    bytes[to + 2] = bits;
  }
  const padding = Number(base64.endsWith("=")) + Number(base64.endsWith("=="));
  return bytes.subarray(0, bytes.length - padding);
}
