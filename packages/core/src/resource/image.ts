/** Types of images that a record may hold, and whether bytes are a whole image of the type, with nothing after it. */
export const wholeImage = {
  "image/jpeg": isWholeJpeg,
  "image/png": isWholePng,
  "image/webp": isWholeWebp,
} as const satisfies Readonly<Record<string, (bytes: Uint8Array) => boolean>>;

const pngHead = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Signature, and chunks with their checksums from `IHDR` over `IDAT` to `IEND` (PNG, third edition, section 5). */
function isWholePng(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  if (!beginsWith(bytes, pngHead)) return false;
  let at = pngHead.length;
  let hasData = false;
  while (at + 12 <= bytes.length) {
    const length = view.getUint32(at);
    const type = textAt(bytes, at + 4);
    const next = at + 12 + length;
    if (next > bytes.length || (type === "IHDR") !== (at === pngHead.length)) return false;
    if (crc32(bytes.subarray(at + 4, next - 4)) !== view.getUint32(next - 4)) return false;
    if (type === "IDAT") hasData = true;
    if (type === "IEND") return hasData && length === 0 && next === bytes.length;
    at = next;
  }
  return false;
}

/** Segments from SOI to EOI, a scan among them (ITU-T T.81, annex B). */
function isWholeJpeg(bytes: Uint8Array): boolean {
  if (!beginsWith(bytes, [0xff, 0xd8])) return false;
  let hasScan = false;
  let at = 2;
  while (bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xd9) return hasScan && at + 2 === bytes.length;
    const isScan = marker === 0xda;
    // Any number of FF may stand before a marker.
    if (marker === 0xff) at += 1;
    else if (hasSegment(marker)) at = endOfSegment(bytes, at);
    else return false;
    if (isScan) at = endOfScan(bytes, at);
    hasScan ||= isScan;
  }
  return false;
}

/** Markers that stand alone belong into scans, and SOI to the beginning. */
function hasSegment(marker: number): boolean {
  return marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xd8);
}

/** The length counts its own two bytes. */
function endOfSegment(bytes: Uint8Array, at: number): number {
  const length = at + 4 <= bytes.length ? viewOf(bytes).getUint16(at + 2) : 0;
  return length < 2 ? bytes.length : at + 2 + length;
}

/** Where the compressed data end: at an `FF` that is neither stuffed (`00`) nor a restart marker (`D0` to `D7`). */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const follows = bytes[at + 1] ?? 0;
    if (follows !== 0 && (follows < 0xd0 || follows > 0xd7)) return at;
  }
  return bytes.length;
}

/** A RIFF container as large as it says, filled with chunks, an image first (RFC 9649 section 2). */
function isWholeWebp(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  const isRiff = bytes.length >= 20 && textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WEBP";
  if (!isRiff || view.getUint32(4, true) + 8 !== bytes.length) return false;
  if (!["VP8 ", "VP8L", "VP8X"].includes(textAt(bytes, 12))) return false;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const length = view.getUint32(at + 4, true);
    at += 8 + length + (length % 2);
  }
  return at === bytes.length;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** Cyclic redundancy check as PNG and Ethernet have it (ISO 3309). */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  // An iterator takes three times as long.
  for (let at = 0; at < bytes.length; at++)
    crc = (crcTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}
