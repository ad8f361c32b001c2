import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openGate } from "./stage/gate.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 30_000 };

describeInChromium("A first start whose script", (executablePath) => {
  let scene: Scene;
  let script: "comes" | "waits" | "is absent" = "comes";
  let held: (() => void) | undefined;
  let close: () => void = () => undefined;

  /** Without a service worker every start asks the network. */
  const stops = (url: string) => {
    if (url === "/service-worker.js") return "is absent";
    return /^\/assets\/index-.*\.js$/.test(url) ? script : "comes";
  };

  beforeAll(async () => {
    const gate = async (server: number) => {
      const send = async (path: string, answer: ServerResponse) => {
        const real = await fetch(`http://127.0.0.1:${server}${path}`);
        answer.setHeader("Content-Type", "text/javascript").end(await real.text());
      };
      const opened = await openGate(server, ({ url = "" }, answer) => {
        const does = stops(url);
        if (does === "is absent") answer.writeHead(404).end();
        if (does === "waits") held = () => void send(url, answer);
        return does !== "comes";
      });
      close = () => opened.close();
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "first-paint", executablePath, height: 900, gate });
  });
  afterAll(async () => {
    await scene?.close();
    close();
  });

  const page = () => scene.device.page();
  const reload = async () => {
    const session = await page().context().newCDPSession(page());
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page().goto(`${scene.device.address}?again=${performance.now()}`, { waitUntil: "commit" });
  };
  const words = {
    loading: "Loading Fieldroll…",
    still: "Still loading. On a slow network the first start takes a minute or so.",
    failed: "A part of Fieldroll could not be loaded",
  };
  const isShown = (text: string) => page().getByText(text, { exact: true }).isVisible();

  it("takes long paints its shell before that comes, and says that it is still loading", async () => {
    script = "waits";
    await reload();
    await expect.poll(() => isShown(words.loading), soon).toBe(true);
    await expect.poll(() => isShown(words.still), soon).toBe(true);
    expect(await isShown(words.failed)).toBe(false);
    script = "comes";
    held?.();
    await page().getByLabel("User name").waitFor(soon);
    expect(await isShown(words.still)).toBe(false);
  });

  it("does not come says so, and loads again when asked", async () => {
    script = "is absent";
    await reload();
    await expect.poll(() => isShown(words.failed), soon).toBe(true);
    script = "comes";
    await page().getByRole("button", { name: "Load again" }).click();
    await page().getByLabel("User name").waitFor(soon);
  });
});
