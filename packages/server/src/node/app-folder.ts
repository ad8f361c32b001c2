import { readdir } from "node:fs/promises";
import { extname, join, relative, resolve, sep } from "node:path";
import { isFunction, isText, type OptionRule, optional, refuseWrongOptions } from "@fieldroll/core";
import { acceptedCoding } from "../http/content-coding.ts";
import { codeOf } from "../http/describe-failure.ts";
import type { Handler } from "../http/handler.ts";
import { handler as handlerRule } from "../option-rules.ts";
import { createFileAnswers } from "./app-file.ts";
import { compressOnce } from "./compress.ts";
import { unknownPage, withoutSlash } from "./unknown-page.ts";

const folderRules: Readonly<Record<string, OptionRule>> = {
  folder: [isText, "the path of a folder, as text"],
  compress: optional([(given) => typeof given === "boolean", "true or false"]),
};

/**
 * Serves the files of a built field app under `/`. Its screens' addresses are after `#`: at any other path a browser is told in a page
 * that there is nothing.
 * The folder is listed once, here: only what it held then is ever opened, so no path leads out of it. After a new
 * build, start again.
 *
 * @param options.compress whether files go out in br or gzip where they are accepted; default: true
 * @returns an answer, or `undefined` for what is no file or page of the app
 * @throws TypeError for a folder that is no text
 * @throws Error when the folder can't be read or has no `index.html`
 */
export async function openAppFolder(
  folder: string,
  options: { readonly compress?: boolean } = {},
): Promise<(request: Request) => Promise<Response | undefined>> {
  refuseWrongOptions("openAppFolder", { folder, ...options }, folderRules);
  const files = await listFiles(folder);
  const index = files.get("/index.html");
  if (!index) throw new Error(`${folder} has no index.html. ${next}`);
  const answers = createFileAnswers(options.compress === false ? undefined : compressOnce);
  // Most browsers take it; any other coding is made when the first one asks for the page.
  answers.prepare("br", files.values());
  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const { pathname } = new URL(request.url);
    const path = decodedPath(pathname);
    const file = path === "/" ? index : files.get(path);
    if (file === index)
      answers.prepare(acceptedCoding(request.headers.get("Accept-Encoding")), files.values());
    if (file) return answers.answer(request, { file, path });
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
