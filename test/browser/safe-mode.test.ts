import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CDPSession, Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildId } from "../../examples/field-app/build-id.ts";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openGate } from "./stage/gate.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 40_000 };
const built = fileURLToPath(new URL("../../examples/field-app/dist", import.meta.url));
const title = "Nothing can be saved here now";

/** What stands before the app's scripts: nothing, or what a network or a browser does to them. */
type Spoil = "nothing" | "absent" | "without-storage" | "other-build";

describeInChromium("An app that can save nothing", (executablePath) => {
  let scene: Scene;
  let spoil: Spoil = "nothing";
  let build = "";
  let close: () => void = () => undefined;

  /** What is made of the worker's script. */
  const spoilt: Readonly<Record<Spoil, (script: string) => string>> = {
    nothing: (script) => script,
    absent: (script) => script,
    "without-storage": (script) =>
      `Object.defineProperty(self, "indexedDB", { value: undefined });\n${script}`,
    "other-build": (script) => script.replaceAll(build, "of-another-build"),
  };

  const page = () => scene.device.page();
  const main = () => page().locator("main");
  const says = (text: string | RegExp) => page().getByText(text).first().waitFor(soon);
  const origin = () => scene.device.address.replace(/\/$/, "");
  const protocol = (tab: Page = page()): Promise<CDPSession> => tab.context().newCDPSession(tab);
  /** Nobody is asked to sign in who is signed in, or may be. */
  const asksNobodyToSignIn = async () => expect(await page().getByLabel("Password").count()).toBe(0);
  const signInIsShown = () => main().getByLabel("User name").waitFor(soon);

  beforeEach(async () => {
    spoil = "nothing";
    build = await buildId(new URL("../../examples/field-app/", import.meta.url));
    const gate = async (server: number) => {
      const opened = await openGate(server, (asked, answer) => {
        const path = asked.url ?? "";
        const isWorker = path.startsWith("/assets/store-worker");
        // Without a service worker every start asks the network.
        if (path === "/service-worker.js" || (isWorker && spoil === "absent")) answer.writeHead(404).end();
        else if (isWorker) {
          answer.setHeader("Content-Type", "text/javascript");
          // A worker that the browser has kept would be the first one for ever.
          answer.setHeader("Cache-Control", "no-store");
          answer.end(spoilt[spoil](readFileSync(join(built, path), "utf8")));
        } else return false;
        return true;
      });
      close = () => opened.close();
      const address = opened.address();
      return typeof address === "object" && address ? address.port : 0;
    };
    scene = await openScene({ name: "safe-mode", executablePath, height: 900, gate });
  });
  afterEach(async () => {
    await scene?.close();
    close();
  });

  it("because a script does not come, says so, and goes on without a reload when it does", async () => {
    spoil = "absent";
    await page().reload();
    await says(/A part of Fieldroll could not be loaded/);
    await page().evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    spoil = "nothing";
    await expect.poll(() => page().getByText(title).count(), soon).toBe(0);
    await signInIsShown();
    expect(await page().evaluate(() => "isSamePage" in globalThis)).toBe(true);
  });

  it("because there is no space, says so, and that what is typed is not kept; and goes on when there is", async () => {
    await scene.signIn("area:PH/Cavite");
    const session = await protocol();
    await page().goto(`${scene.device.address}#/register`);
    const name = main().getByLabel("Household name", { exact: true });
    await name.fill("Before");
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin(), quotaSize: 1 });
    const isTold = async (text: string) => {
      await name.fill(`${text} ${performance.now()}`);
      return main().getByText("There is no room to keep what you type").count();
    };
    // The browser looks only now and then how much room is left.
    const often = { ...soon, interval: 1_000 };
    await expect.poll(() => isTold("Without room"), often).toBe(1);
    await asksNobodyToSignIn();
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin() });
    await expect.poll(() => isTold("With room"), often).toBe(0);
  });

  it("because a newer version has the records, says so to a signed-in person and asks for no sign-in", async () => {
    await scene.signIn("area:PH/Cavite");
    await page().goto("about:blank");
    await page().goto(`${scene.device.address}areas.json`);
    await page().evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const raising = indexedDB.open("fieldroll", 1_000);
          raising.onerror = () => reject(raising.error);
          raising.onsuccess = () => resolve(raising.result.close());
        }),
    );
    await page().goto(scene.device.address);
    await says(/A newer version of Fieldroll has opened the records/);
    await main().getByRole("button", { name: "Load Fieldroll again" }).waitFor();
    await asksNobodyToSignIn();
    await scene.device.picture("newer-version");
  });

  it.each(["indexeddb", "all"])(
    "because the site's data (%s) was deleted while it was open, says so, and goes on with the same person and form",
    async (storageTypes) => {
      await scene.signIn("area:PH/Cavite");
      await page().evaluate(() => Object.assign(globalThis, { isSamePage: true }));
      await scene.on.open("#/register");
      const name = main().getByLabel("Household name", { exact: true });
      await name.fill("Half a household");
      const session = await protocol();
      await session.send("Storage.clearDataForOrigin", { origin: origin(), storageTypes });
      await scene.on.open("#/sync");
      await main().getByRole("button", { name: "Sync now" }).click();
      await says(/The browser deleted the data of this site while Fieldroll was open/);
      expect(await main().getByLabel("User name").inputValue()).toBe("enumerator");
      await scene.device.picture("cleared");
      await scene.on.fill("Password", "walk-house-to-house");
      await scene.on.press("Sign in");
      await main().getByRole("heading", { name: "Find a household or person" }).waitFor(soon);
      await scene.on.firstSyncIsComplete();
      await scene.on.open("#/register");
      await expect.poll(() => name.inputValue(), soon).toBe("Half a household");
      expect(await page().evaluate(() => "isSamePage" in globalThis)).toBe(true);
    },
  );

  it("because its worker is of another build, says so, and has what was typed when it is loaded again", async () => {
    await scene.signIn("area:PH/Cavite");
    await scene.on.open("#/register");
    const name = main().getByLabel("Household name", { exact: true });
    await name.fill("Half a household");
    spoil = "other-build";
    await page().reload();
    await says(/Fieldroll was updated while this page was open/);
    await asksNobodyToSignIn();
    spoil = "nothing";
    await page().getByRole("button", { name: "Load Fieldroll again" }).click();
    await expect.poll(() => name.inputValue(), soon).toBe("Half a household");
  });

  it("because another tab has an older version open, says so, and goes on once that is closed", async () => {
    const older = await page().context().newPage();
    await page().goto("about:blank");
    await older.goto(`${scene.device.address}areas.json`);
    await older.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const deleting = indexedDB.deleteDatabase("fieldroll");
          deleting.onsuccess = () => {
            const opening = indexedDB.open("fieldroll", 10);
            opening.onerror = () => reject(opening.error);
            opening.onupgradeneeded = () => {
              const { result } = opening;
              const documents = result.createObjectStore("documents", { keyPath: "id" });
              documents.createIndex("claims", "claims", { unique: true, multiEntry: true });
              documents.createIndex("entries", "entries", { multiEntry: true });
              result
                .createObjectStore("feeds", { keyPath: "id" })
                .createIndex("place", "place", { unique: true });
              result.createObjectStore("state", { keyPath: "name" });
            };
            // It stays open although another tab wants to upgrade it.
            opening.onsuccess = () => {
              Object.assign(globalThis, { held: opening.result });
              resolve();
            };
          };
        }),
    );
    await page().goto(scene.device.address);
    await says(/Another tab has an older version of Fieldroll open/);
    await asksNobodyToSignIn();
    await older.close();
    await signInIsShown();
  });

  it("because the browser keeps nothing, says so", async () => {
    spoil = "without-storage";
    await page().reload();
    await says(/This browser keeps no data here/);
    await asksNobodyToSignIn();
  });
});
