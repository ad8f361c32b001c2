import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAppFolder, withApp } from "./app-folder.ts";

let root: string;
let app: (request: Request) => Promise<Response | undefined>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fieldroll-app-"));
  const folder = join(root, "dist");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(root, "outside.txt"), "outside");
  await symlink(join(root, "outside.txt"), join(folder, "link.txt"));
  const files = {
    "index.html": "<!doctype html><title>Field</title>",
    "sw.js": "self",
    "app.webmanifest": "{}",
    "icon 1.png": "png",
    "assets/index-a1B2c3D4.js": "script",
    "assets/plain.css": "style",
    "assets/main.js": "const household = 1;\n".repeat(200),
    "assets/photo.png": "png".repeat(1000),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  app = await openAppFolder(folder);
});
afterAll(() => rm(root, { recursive: true }));

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  app(new Request(`http://field.test${path}`, { method, headers }));
const navigation = { Accept: "text/html,application/xhtml+xml" };

describe("openAppFolder", () => {
  it.each([
    ["/", "text/html; charset=utf-8", "no-cache"],
    ["/index.html", "text/html; charset=utf-8", "no-cache"],
    ["/sw.js", "text/javascript; charset=utf-8", "no-cache"],
    ["/app.webmanifest", "application/manifest+json", "no-cache"],
    ["/icon%201.png", "image/png", "no-cache"],
    ["/assets/plain.css", "text/css; charset=utf-8", "no-cache"],
    ["/assets/index-a1B2c3D4.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
  ])("serves %s as %s, %s", async (path, type, cache) => {
    const answer = await get(path);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get("Content-Type")).toBe(type);
    expect(answer?.headers.get("Cache-Control")).toBe(cache);
  });

  it.each([
    ["/foo", "./"],
    ["/foo/", "../"],
    ["/households/7", "../"],
  ])("tells a browser at %s that there is nothing, with the way to the app", async (path, home) => {
    const answer = await get(path, navigation);
    expect(answer?.status).toBe(404);
    expect(await answer?.text()).toContain(`<a href="${home}">Open Fieldroll</a>`);
  });

  it.each([
    ["/assets/gone.js", navigation],
    ["/households/7", { Accept: "application/json" }],
    ["/link.txt", {}],
    ["/..%2foutside.txt", {}],
    ["/%2e%2e/outside.txt", {}],
    ["/assets/..%5c..%5coutside.txt", {}],
    ["/%00", {}],
    ["/%zz", {}],
  ])("has nothing at %s", async (path, headers) => {
    expect(await get(path, headers)).toBeUndefined();
  });

  it("lets pages run only the app's own code", async () => {
    const policy = (await get("/"))?.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/unsafe/);
  });

  it("answers 304 to who has the file, and HEAD without content", async () => {
    const etag = (await get("/"))?.headers.get("ETag") ?? "";
    expect((await get("/", { "If-None-Match": etag }))?.status).toBe(304);
    const head = await get("/", {}, "HEAD");
    expect([head?.headers.get("Content-Length"), await head?.text()]).toEqual(["35", ""]);
    expect(await get("/", {}, "POST")).toBeUndefined();
  });

  it.each(["br", "gzip"] as const)("serves text in %s, kept after the first time", async (coding) => {
    const headers = { "Accept-Encoding": coding };
    const path = "/assets/main.js";
    const plain = await get(path);
    for (const _ of ["first", "second"]) {
      const small = await get(path, headers);
      const bytes = Buffer.from((await small?.arrayBuffer()) ?? new ArrayBuffer(0));
      expect(small?.headers.get("Content-Encoding")).toBe(coding);
      expect(small?.headers.get("Content-Length")).toBe(String(bytes.length));
      expect(small?.headers.get("ETag")).toBe(plain?.headers.get("ETag"));
      expect((coding === "br" ? brotliDecompressSync : gunzipSync)(bytes).toString()).toMatch(/^const h/);
      expect(bytes.length).toBeLessThan(100);
    }
    const head = await get(path, headers, "HEAD");
    expect(head?.headers.get("Content-Encoding")).toBe(coding);
    expect(Number(head?.headers.get("Content-Length"))).toBeLessThan(100);
  });

  it("compresses a changed file anew", async () => {
    const path = join(root, "dist/assets/later.js");
    await writeFile(path, "first ".repeat(500));
    const own = await openAppFolder(join(root, "dist"));
    const length = async () => {
      const headers = { "Accept-Encoding": "gzip" };
      const answer = await own(new Request("http://field.test/assets/later.js", { headers }));
      return gunzipSync(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0))).length;
    };
    expect(await length()).toBe(3000);
    await writeFile(path, "second ".repeat(500));
    expect(await length()).toBe(3500);
  });

  it("leaves images and small files as they are, and all files where it is to", async () => {
    const headers = { "Accept-Encoding": "br, gzip" };
    const plain = await openAppFolder(join(root, "dist"), { compress: false });
    const answers = [
      await get("/assets/photo.png", headers),
      await get("/", headers),
      await plain(new Request("http://field.test/assets/main.js", { headers })),
    ];
    for (const answer of answers) {
      expect(answer?.headers.get("Content-Encoding")).toBeNull();
      expect(answer?.headers.get("Vary")).toBeNull();
    }
  });

  it.each([
    ["weak", (tag: string) => `W/${tag}`],
    ["marked", (tag: string) => tag.replace(/"$/, '-gzip"')],
  ])("answers 304 to a tag that a proxy made %s", async (_how, made) => {
    const tag = (await get("/assets/main.js"))?.headers.get("ETag") ?? "";
    const known = await get("/assets/main.js", { "If-None-Match": made(tag), "Accept-Encoding": "gzip" });
    expect([known?.status, known?.headers.get("Vary")]).toEqual([304, "Accept-Encoding"]);
  });

  it("refuses a folder without index.html", async () => {
    await expect(openAppFolder(root)).rejects.toThrow(/no index.html/);
  });

  it.each([
    ["a folder that is not there", "nofolder", "nofolder can't be read (ENOENT): there is no such folder."],
    ["a file", "outside.txt", "outside.txt can't be read (ENOTDIR): it is a file"],
  ])("says of %s what was wrong, and what to do", async (_, name, sentence) => {
    const opening = openAppFolder(join(root, name));
    await expect(opening).rejects.toThrow(sentence);
    await expect(opening).rejects.toThrow("Build the field app first, or name its output folder.");
  });
});

it("withApp leaves the API's paths, and what the app does not have, to the handler", async () => {
  const handle = withApp(
    async () => new Response("api"),
    app,
    (path) => path.startsWith("/api/"),
  );
  const text = async (path: string) =>
    (await handle(new Request(`http://field.test${path}`, { headers: navigation }))).text();
  expect(await text("/api/v2/metadata")).toBe("api");
  expect(await text("/assets/gone.js")).toBe("api");
  expect(await text("/")).toContain("<title>Field");
  expect(await text("/people")).toContain("Nothing here");
});

it.each([
  ["/docs/", "../docs", "/docs"],
  ["/errors/?lang=en", "../errors?lang=en", "/errors?lang=en"],
  ["/errors/not-found/", "../not-found", "/errors/not-found"],
])("withApp leads from %s to the API's page", async (path, location, to) => {
  const handle = withApp(
    async () => new Response("api"),
    app,
    (own) => /^\/(docs|errors(\/[^/]+)?)$/.test(own),
  );
  const url = `http://field.test${path}`;
  const answer = await handle(new Request(url, { headers: navigation }));
  expect([answer.status, answer.headers.get("Location")]).toEqual([308, location]);
  expect(new URL(location, url).href).toBe(`http://field.test${to}`);
});
