import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib";
import type { Compress } from "../http/content-coding.ts";

/** A body of up to this length is compressed at once, in less time than a turn through another thread takes. */
const smallLength = 32 * 1024;

const brotliOf = (quality: number, size: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: size },
});

const inThread = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/**
 * Compresses answers by Node's zlib, with brotli of quality 5 or gzip of level 6. A page of 500 records takes 2 to 3 ms of processor
 * time, in another thread; brotli of quality 9 takes 50 times as long for a page that is 2 % smaller.
 */
export const nodeCompress: Compress = (body, coding) => {
  const isSmall = body.length <= smallLength;
  if (coding === "gzip") return isSmall ? gzipSync(body) : inThread.gzip(body);
  const options = brotliOf(5, body.length);
  return isSmall ? brotliCompressSync(body, options) : inThread.br(body, options);
};

/** Compresses what is kept and sent many times, as small as it gets. Half a megabyte takes a second, in another thread. */
export const compressOnce: Compress = (body, coding) =>
  coding === "gzip" ? inThread.gzip(body, { level: 9 }) : inThread.br(body, brotliOf(11, body.length));
