import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, relative, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { isFunction, isText, type OptionRule, refuseWrongOptions } from "@fieldroll/core";
import { codeOf } from "../http/describe-failure.ts";
import type { Handler } from "../http/handler.ts";
import { handler as handlerRule } from "../option-rules.ts";
import { unknownPage, withoutSlash } from "./unknown-page.ts";

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

/**
 * Serves the files of a built field app under `/`. Its screens' addresses are after `#`: at any other path a browser is told in a page
 * that there is nothing.
 * The folder is listed once, here: only what it held then is ever opened, so no path leads out of it. After a new
 * build, start again.
 *
 * @returns an answer, or `undefined` for what is no file or page of the app
 * @throws TypeError for a folder that is no text
 * @throws Error when the folder can't be read or has no `index.html`
 */
export async function openAppFolder(
  folder: string,
): Promise<(request: Request) => Promise<Response | undefined>> {
  refuseWrongOptions("openAppFolder", { folder }, { folder: [isText, "the path of a folder, as text"] });
  const files = await listFiles(folder);
  const index = files.get("/index.html");
  if (!index) throw new Error(`${folder} has no index.html. ${next}`);
  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const { pathname } = new URL(request.url);
    const path = decodedPath(pathname);
    const file = path === "/" ? index : files.get(path);
    if (file) return fileResponse(request, { file, path });
    return isNavigation(request, path) ? unknownPage(pathname) : undefined;
  };
}

const withAppRules: Readonly<Record<string, OptionRule>> = {
  handler: handlerRule,
  app: [isFunction, "what openAppFolder resolves to"],
  isServicePath: [isFunction, "a function that tells the API's own paths"],
};

/**
 * Puts a field app beside the API: the API's own paths go to the handler, with a slash at the end by a redirect, and so does what the
 * app does not have.
 */
export function withApp(
  handler: Handler,
  app: (request: Request) => Promise<Response | undefined>,
  isServicePath: (path: string) => boolean,
): Handler {
  refuseWrongOptions("withApp", { handler, app, isServicePath }, withAppRules);
  return async (request, peer) => {
    const { pathname, search } = new URL(request.url);
    if (isServicePath(pathname)) return handler(request, peer);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && pathname.endsWith("/") && isServicePath(pathname.slice(0, -1))) {
      return withoutSlash(pathname, search);
    }
    return (await app(request)) ?? handler(request, peer);
  };
}

const next = "Build the field app first, or name its output folder.";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "it is a file, or a part of its path is one",
  EACCES: "whoever runs this may not read it",
};

function whyUnread(folder: string, cause: unknown): string {
  const code = codeOf(cause) ?? "unknown cause";
  const reason = reasons[code];
  return `${resolve(folder)} can't be read (${code})${reason === undefined ? "" : `: ${reason}`}`;
}

async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Error(`${whyUnread(folder, cause)}. ${next}`, { cause });
  });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [`/${relative(folder, path).split(sep).join("/")}`, path]));
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A page's address has no extension; a missing script must be a 404 and not a page. */
function isNavigation(request: Request, path: string): boolean {
  return extname(path) === "" && (request.headers.get("Accept") ?? "*/*").includes("text/html");
}

async function fileResponse(
  request: Request,
  { file, path }: { readonly file: string; readonly path: string },
): Promise<Response | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return undefined;
  const etag = `"${found.size.toString(36)}-${Math.trunc(found.mtimeMs).toString(36)}"`;
  const headers = {
    ...security,
    "Cache-Control": isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache",
    "Content-Type": types[extname(file).toLowerCase()] ?? "application/octet-stream",
    ETag: etag,
  };
  if (request.headers.get("If-None-Match") === etag) return new Response(null, { status: 304, headers });
  const sized = { ...headers, "Content-Length": String(found.size) };
  if (request.method === "HEAD") return new Response(null, { headers: sized });
  return new Response(Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>, {
    headers: sized,
  });
}

/** Whether a build put a hash of the content into the name, as Vite does: such a file never changes. */
function isHashed(path: string): boolean {
  return /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(path);
}
