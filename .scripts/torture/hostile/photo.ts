import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** A sound PNG of noise, as a data URI of about so many bytes. */
export function noisyPhoto(bytes: number): string {
  const width = 1000;
  const height = Math.max(1, Math.floor((bytes * 0.74) / (width + 1)));
  const rows = randomBytes((width + 1) * height);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const image = Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 0 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${image.toString("base64")}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
