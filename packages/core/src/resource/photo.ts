import * as z from "zod";
import { rule } from "./rule.ts";

/** The longest photo, as text: 5 MiB (contract section 2). */
export const maxPhotoLength = 5 * 1024 * 1024;

const head = /^data:(image\/(?:jpeg|png|webp));base64,/;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A photo as a data URI (RFC 2397) of a JPEG, PNG or WebP image, whose content begins as its type says. */
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
  const type = head.exec(text);
  if (!type) {
    return {
      code: "invalid_value",
      message: "must be a data URI: data:image/jpeg;base64,… or image/png or image/webp",
    };
  }
  const content = text.slice(type[0].length);
  if (!isBase64(content)) return { code: "invalid_value", message: "must be base64 with padding (RFC 4648)" };
  if (imageType(firstBytes(content, 12)) !== type[1]) {
    return { code: "invalid_value", message: `must hold an image of the type it states, ${type[1]}` };
  }
  return undefined;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Decodes the beginning of base64 by hand: core knows neither Buffer nor atob. */
function firstBytes(base64: string, count: number): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of base64.slice(0, Math.ceil((count * 4) / 3))) {
    const value = alphabet.indexOf(character);
    if (value < 0) break;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  return bytes.slice(0, count);
}

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const jpeg = [0xff, 0xd8, 0xff];
const riff = [0x52, 0x49, 0x46, 0x46];
const webp = [0x57, 0x45, 0x42, 0x50];

function imageType(bytes: readonly number[]): string | undefined {
  if (beginsWith(bytes, jpeg)) return "image/jpeg";
  if (beginsWith(bytes, png)) return "image/png";
  // The four bytes between RIFF and WEBP are the file's size.
  if (beginsWith(bytes, riff) && beginsWith(bytes.slice(8), webp)) return "image/webp";
  return undefined;
}

function beginsWith(bytes: readonly number[], start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
