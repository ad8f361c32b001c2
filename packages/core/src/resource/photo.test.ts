import { describe, expect, it } from "vitest";
import { crc32 } from "./image.ts";
import { maxPhotoLength, photoSchema } from "./photo.ts";

/** Bytes from texts, of which each character is a byte. */
const bytesOf = (...parts: readonly string[]) =>
  Uint8Array.from(parts.join(""), (character) => character.charCodeAt(0));
const uri = (type: string, ...parts: readonly string[]) =>
  `data:image/${type};base64,${Buffer.from(bytesOf(...parts)).toString("base64")}`;

const uint32 = (value: number) =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const reversed = (text: string) => [...text].reverse().join("");

const chunk = (type: string, data = "") =>
  uint32(data.length) + type + data + uint32(crc32(bytesOf(type, data)));
const signature = "\x89PNG\r\n\x1a\n";
const ihdr = chunk("IHDR", `${uint32(1)}${uint32(1)}\x08\0\0\0\0`);
const idat = chunk("IDAT", "x\x9cc\0\0\0\x02\0\x01");
const iend = chunk("IEND");
const png = (...parts: readonly string[]) => uri("png", signature, ...parts);

const segment = (marker: string, data: string) => {
  const length = data.length + 2;
  return `\xff${marker}${String.fromCharCode(length >> 8, length & 255)}${data}`;
};
const [soi, eoi] = ["\xff\xd8", "\xff\xd9"];
const jfif = segment("\xe0", "JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
const scan = `${segment("\xda", "\x01\x01\0\0\x3f\0")}data\xff\0more\xff\xd0data`;
const jpeg = (...parts: readonly string[]) => uri("jpeg", soi, ...parts);

const riffChunk = (type: string, data: string) =>
  type + reversed(uint32(data.length)) + data + (data.length % 2 === 1 ? "\0" : "");
const webp = (content: string, size = content.length + 4) =>
  uri("webp", "RIFF", reversed(uint32(size)), "WEBP", content);
const vp8 = riffChunk("VP8 ", "lossy");

const large = (characters: number) => {
  const rest = Math.floor(((characters - "data:image/jpeg;base64,".length) / 4) * 3);
  return jpeg(scan, "x".repeat(rest - soi.length - scan.length - eoi.length), eoi);
};

describe("photoSchema", () => {
  it.each([
    ["a PNG", png(ihdr, idat, iend)],
    ["a PNG with a text and two parts of data", png(ihdr, chunk("tEXt", "Title\0Ana"), idat, idat, iend)],
    ["a JPEG", jpeg(jfif, scan, eoi)],
    [
      "a JPEG of several scans, with a comment between",
      jpeg(jfif, scan, segment("\xfe", "hello"), scan, eoi),
    ],
    ["a JPEG with bytes that fill up before a marker", jpeg(jfif, "\xff", scan, "\xff\xff", eoi)],
    ["a JPEG with a thumbnail of its own kind", jpeg(segment("\xe1", soi + scan + eoi), scan, eoi)],
    ["a WebP", webp(vp8)],
    ["a WebP of several chunks", webp(riffChunk("VP8X", "0123456789") + vp8 + riffChunk("EXIF", "abc"))],
    ["the largest there may be", large(maxPhotoLength)],
  ])("accepts %s", (_name, photo) => {
    expect(photoSchema.safeParse(photo).success).toBe(true);
  });

  it.each([
    ["a larger one", large(maxPhotoLength + 4), "too_long"],
    ["plain text", "hello", "invalid_value"],
    ["an address", "https://example.org/a.jpg", "invalid_value"],
    ["another type", "data:image/svg+xml;base64,PHN2Zz4=", "invalid_value"],
    ["a GIF that says it is a JPEG", uri("jpeg", "GIF89a"), "invalid_value"],
    ["a PNG that says it is a JPEG", uri("jpeg", signature, ihdr, idat, iend), "invalid_value"],
    ["a RIFF file that is no WebP", uri("webp", "RIFF", reversed(uint32(9)), "WAVEfmt "), "invalid_value"],
    ["no content", "data:image/png;base64,", "invalid_value"],
    ["content that is not base64", "data:image/jpeg;base64,/9j/4AA*", "invalid_value"],
    ["base64 without padding", jpeg(scan, "x", eoi).replaceAll("=", ""), "invalid_value"],
    ["content that is percent-encoded", "data:image/png,%89PNG", "invalid_value"],
    ["a PNG that is its signature alone", png(), "invalid_value"],
    ["a PNG without its end", png(ihdr, idat), "invalid_value"],
    ["a PNG that breaks off within a chunk", png(ihdr, idat.slice(0, -1)), "invalid_value"],
    ["a PNG without data", png(ihdr, iend), "invalid_value"],
    ["a PNG without a header", png(idat, iend), "invalid_value"],
    ["a PNG of two headers", png(ihdr, ihdr, idat, iend), "invalid_value"],
    ["a PNG with a wrong checksum", png(ihdr, idat.replace("x", "y"), iend), "invalid_value"],
    ["a PNG with a page after it", png(ihdr, idat, iend, "<script>"), "invalid_value"],
    ["a PNG with a chunk of 4 GB", png(ihdr, `${uint32(0xffffffff)}IDAT`, idat, iend), "invalid_value"],
    ["a JPEG that is its beginning alone", jpeg(jfif), "invalid_value"],
    ["a JPEG without its end", jpeg(jfif, scan), "invalid_value"],
    ["a JPEG without a picture", jpeg(jfif, eoi), "invalid_value"],
    ["a JPEG that breaks off within a segment", jpeg(jfif.slice(0, -3)), "invalid_value"],
    ["a JPEG with a segment shorter than its length", jpeg("\xff\xe0\0\x01", scan, eoi), "invalid_value"],
    ["a JPEG with bytes between segments", jpeg(jfif, "bytes", scan, eoi), "invalid_value"],
    ["a JPEG with a page after it", jpeg(jfif, scan, eoi, "<script>"), "invalid_value"],
    ["two JPEGs in one", jpeg(scan, eoi, soi, scan, eoi), "invalid_value"],
    ["a WebP that says it is longer", webp(vp8, vp8.length + 5), "invalid_value"],
    ["a WebP with a page after it", webp(`${vp8}<script>`, vp8.length + 4), "invalid_value"],
    [
      "a WebP with a chunk beyond its end",
      webp(vp8 + riffChunk("EXIF", "abcd").slice(0, -2)),
      "invalid_value",
    ],
    ["a WebP without an image", webp(riffChunk("EXIF", "ab")), "invalid_value"],
    ["a WebP that is its head alone", webp(""), "invalid_value"],
  ])("refuses %s", (_name, photo, code) => {
    const parsed = photoSchema.safeParse(photo);
    expect(parsed.error?.issues).toMatchObject([{ code: "custom", params: { code } }]);
  });
});
