import { chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chromeFloor } from "../../examples/field-app/browser-floor.ts";
import { chromiumSwitches } from "./chromium.ts";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openGate } from "./stage/gate.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 30_000 };

/** Takes away from a page or worker what the browser of the floor has not: its names of the table in `lowest-browser.ts`, and some more. */
const asOldAsTheFloor = `
  delete URL.canParse; delete URL.parse;
  delete Promise.withResolvers; delete Promise.try;
  delete Object.groupBy; delete Map.groupBy; delete Array.fromAsync;
  delete AbortSignal.timeout; delete AbortSignal.any; delete globalThis.structuredClone;
  for (const list of [Array.prototype, Object.getPrototypeOf(Int8Array.prototype)])
    for (const name of ["toSorted", "toReversed", "toSpliced", "with", "findLast", "findLastIndex"]) delete list[name];
  for (const name of ["isWellFormed", "toWellFormed"]) delete String.prototype[name];
  for (const name of ["union", "intersection", "difference", "isSubsetOf"]) delete Set.prototype[name];
  delete globalThis.Iterator;
`;

describeInChromium("A browser as old as the floor", (executablePath) => {
  let scene: Scene;
  let close: () => void = () => undefined;

  beforeAll(async () => {
    const gate = async (server: number) => {
      const opened = await openGate(server, (asked, answer) => {
        if (!/^\/(assets\/.*\.js|needs\.js)$/.test(asked.url ?? "")) return false;
        void fetch(`http://127.0.0.1:${server}${asked.url}`).then(async (real) => {
          answer.setHeader("Content-Type", "text/javascript");
          answer.end(`${asOldAsTheFloor}\n${await real.text()}`);
        });
        return true;
      });
      close = () => opened.close();
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "browser-floor", executablePath, height: 900, gate });
  });
  afterAll(async () => {
    await scene?.close();
    close();
  });

  it("runs the app without any name that came later", async () => {
    await scene.signIn("area:PH/Cavite");
    await scene.on.open("#/register");
    await scene.device.page().locator("main").getByLabel("Household name").fill("Reyes");
    await scene.on.find("Reyes");
    expect(await scene.device.page().evaluate(() => "canParse" in URL)).toBe(false);
  });

  it.each([
    ["older", chromeFloor - 1, true],
    ["of the floor", chromeFloor, false],
  ])("is told in words what it needs when it is %s", async (_name, version, isTold) => {
    const browser = await chromium.launch({ executablePath, args: [...chromiumSwitches] });
    try {
      const userAgent = `Mozilla/5.0 (Linux; Android 5.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
      const page: Page = await browser.newPage({ userAgent });
      await page.goto(scene.device.address);
      const words = page.getByText(`Fieldroll needs Chrome ${chromeFloor} or newer`);
      await page.getByLabel("User name").waitFor(soon);
      expect(await words.isVisible()).toBe(isTold);
    } finally {
      await browser.close();
    }
  });
});
