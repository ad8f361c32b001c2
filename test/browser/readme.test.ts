import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { written } from "../docs/readme-examples.ts";
import { chromiumSwitches } from "./chromium.ts";
import { describeInChromium } from "./describe-in-chromium.ts";

const shell = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>';

/** An example of a README, bundled as its reader would. @param files those that Workbox lists; without, it has yet to do so */
async function bundled(name: string, files?: readonly object[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [await written(name)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    define: {
      "process.env.NODE_ENV": '"production"',
      ...(files && { "self.__WB_MANIFEST": JSON.stringify(files) }),
    },
  });
  return outputFiles[0]?.text ?? "";
}

describeInChromium("packages/sync/README.md", (executablePath) => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    // The worker imports it.
    await written("without-eval");
    const files = [{ url: "index.html", revision: "1" }];
    const names = ["page", "worker", "service-worker"];
    const [page, worker, serviceWorker] = await Promise.all(names.map((name) => bundled(name, files)));
    // A bundler gives the worker that the page names a name of its own.
    const scripts = { "/page.js": page, "/worker.ts": worker, "/service-worker.js": serviceWorker };
    server = createServer(({ url = "/" }, response) => {
      const script = scripts[url as keyof typeof scripts];
      response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
      response.end(script ?? shell);
    }).listen(0, "127.0.0.1");
    browser = await chromium.launch({ executablePath, args: [...chromiumSwitches] });
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it("shows a page, a worker and a service worker that run together as they stand", async () => {
    const page = await browser.newPage();
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByText('phase: "signed-out"').waitFor();
    expect(await page.textContent("body")).toContain("pending: 0 ");
    const scope = page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
    expect(await scope).toMatch(/\/service-worker\.js$/);
    expect(errors).toEqual([]);
  });

  it("shows a service worker whose bundle has one place for the list of the app's files, which is all that Workbox takes", async () => {
    expect((await bundled("service-worker")).split("self.__WB_MANIFEST")).toHaveLength(2);
  });
});
