import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { Readable } from "node:stream";
import {
  acceptedCoding,
  type Compress,
  type ContentCoding,
  isCompressible,
  leastBytes,
} from "../http/content-coding.ts";
import { hasVersion } from "../http/preconditions.ts";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

/** What pages of the field app may load and do: its own files, photos it holds, no evaluation of strings. */
const contentSecurity = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const security: Readonly<Record<string, string>> = {
  "Content-Security-Policy": contentSecurity,
  "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** A file of the app: where it lies, and its path on the server. */
interface AppFile {
  readonly file: string;
  readonly path: string;
}

/** Answers with single files. */
export interface FileAnswers {
  /** Answers GET and HEAD; resolves to `undefined` where the file is not there any more. */
  answer(request: Request, asked: AppFile): Promise<Response | undefined>;
  /** Compresses files before anybody asks for them, once in each coding: half a megabyte takes seconds on a small server. */
  prepare(coding: ContentCoding | undefined, files: Iterable<string>): void;
}

/** Makes answers of files. A file is compressed when it is first needed, and kept in memory like that. */
export function createFileAnswers(compress: Compress | undefined): FileAnswers {
  const kept = compress && keptSmaller(compress);
  const prepared = new Set<ContentCoding>();
  return {
    async answer(request, { file, path }) {
      const found = await look(file);
      if (!found) return undefined;
      const { tag, type, size, isSmaller } = found;
      const smaller = isSmaller ? kept : undefined;
      const headers = {
        ...security,
        "Cache-Control": isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache",
        "Content-Type": type,
        ETag: `"${tag}"`,
        ...(smaller && { Vary: "Accept-Encoding" }),
      };
      const known = hasVersion(request.headers.get("If-None-Match"), tag);
      if (known.ok && known.value) return new Response(null, { status: 304, headers });
      const coding = smaller && acceptedCoding(request.headers.get("Accept-Encoding"));
      if (!coding) return fileResponse(request, headers, { length: size, body: () => streamOf(file) });
      const bytes = await smaller({ file, tag, coding });
      const coded = { ...headers, "Content-Encoding": coding };
      return fileResponse(request, coded, { length: bytes.length, body: () => bytes });
    },
    prepare(coding, files) {
      if (!kept || !coding || prepared.has(coding)) return;
      prepared.add(coding);
      // One after the other: what the page asks for now is not to share its processor with all of them.
      const inTurn = async () => {
        for (const file of files) {
          const found = await look(file);
          // Who asks for it hears of a failure.
          if (found?.isSmaller) await kept({ file, tag: found.tag, coding }).catch(() => undefined);
        }
      };
      void inTurn();
    },
  };
}

/** What is known of a file before it is read. */
async function look(file: string) {
  const found = await stat(file).catch(() => undefined);
  if (!found) return undefined;
  const { size, mtimeMs } = found;
  const type = types[extname(file).toLowerCase()] ?? "application/octet-stream";
  const tag = `${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}`;
  return { size, type, tag, isSmaller: isCompressible(type) && size >= leastBytes };
}

function fileResponse(
  { method }: Request,
  headers: Readonly<Record<string, string>>,
  {
    length,
    body,
  }: { readonly length: number; readonly body: () => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> },
): Response {
  const sized = { ...headers, "Content-Length": String(length) };
  return new Response(method === "HEAD" ? null : body(), { headers: sized });
}

/** Compresses each file once in each coding; a file that was changed, once more. */
function keptSmaller(compress: Compress) {
  type Kept = { readonly tag: string; readonly bytes: Promise<Uint8Array<ArrayBuffer>> };
  const kept = new Map<string, Kept>();
  return ({ file, tag, coding }: { file: string; tag: string; coding: ContentCoding }) => {
    const name = `${coding} ${file}`;
    const known = kept.get(name);
    if (known?.tag === tag) return known.bytes;
    const bytes = readFile(file).then((whole) => compress(whole, coding));
    kept.set(name, { tag, bytes });
    bytes.catch(() => kept.delete(name));
    return bytes;
  };
}

function streamOf(file: string): ReadableStream<Uint8Array> {
  return Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
}

/** Whether a build put a hash of the content into the name, as Vite does: such a file never changes. */
function isHashed(path: string): boolean {
  return /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(path);
}
