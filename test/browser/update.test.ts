import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { makeOtherBuild } from "./stage/other-build.ts";
import { openScene, type Scene } from "./stage/scene.ts";

const soon = { timeout: 30_000 };

describeInChromium("A new version of the app, with a half-filled form open", (executablePath) => {
  let folder = "";
  let next = "";
  let scene: Scene;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-update-"));
    next = await makeOtherBuild(folder, "second");
    scene = await openScene({ name: "update", executablePath, height: 900 });
    await scene.signIn("area:PH/Cavite");
    await scene.on.isAvailableOffline();
  });
  afterEach(async () => {
    await scene?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const nameIn = (tab: Page) => tab.locator("main").getByLabel("Household name", { exact: true });
  /** Opens a registration and begins to type. */
  const begin = async (tab: Page, name: string) => {
    await tab.goto(`${scene.device.address}#/register`);
    await nameIn(tab).fill(name);
  };
  const look = (tab: Page) =>
    tab.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  const notice = (tab: Page, text: RegExp) => tab.getByText(text).waitFor();
  const take = (tab: Page) => tab.getByRole("button", { name: "Use the new version" }).click();
  const buildOf = (tab: Page) =>
    tab.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content ?? null);
  /** The page of the new version with what was typed before. */
  const isUpdated = async (tab: Page, name: string) => {
    await expect.poll(() => buildOf(tab), soon).toBe("second");
    await expect.poll(() => nameIn(tab).inputValue(), soon).toBe(name);
  };
  const openSecond = async (name: string) => {
    const second = await scene.device.page().context().newPage();
    await begin(second, name);
    return second;
  };

  it("is taken in one tab, and the form is as it was", async () => {
    const page = scene.device.page();
    await begin(page, "Half a household");
    await scene.deploy(next);
    await look(page);
    await notice(page, /A new version of Fieldroll is ready/);
    expect(await nameIn(page).inputValue()).toBe("Half a household");
    await take(page);
    await isUpdated(page, "Half a household");
  });

  it("is taken in a second tab after the first one took it, and both forms are as they were", async () => {
    const page = scene.device.page();
    await begin(page, "Household of the first tab");
    const second = await openSecond("Household of the second tab");
    await scene.deploy(next);
    await look(page);
    await notice(page, /A new version of Fieldroll is ready/);
    await take(page);
    await isUpdated(page, "Household of the first tab");
    await notice(second, /was updated in another tab/);
    expect(await buildOf(second)).toBe(null);
    await take(second);
    await isUpdated(second, "Household of the second tab");
  });

  it("is taken offline once it has come, and the form is as it was", async () => {
    const page = scene.device.page();
    await begin(page, "Household without a network");
    await scene.deploy(next);
    await look(page);
    await notice(page, /A new version of Fieldroll is ready/);
    await scene.device.goOffline();
    await take(page);
    await isUpdated(page, "Household without a network");
  });

  it("that raised the version of the records is named as the cause in the other tab, which takes it, too", async () => {
    const page = scene.device.page();
    await begin(page, "Household of the older tab");
    await scene.deploy(next);
    await look(page);
    await notice(page, /A new version of Fieldroll is ready/);
    const second = await scene.device.page().context().newPage();
    await second.goto(`${scene.device.address}areas.json`);
    await second.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const raising = indexedDB.open("fieldroll", 1_000);
          raising.onerror = () => reject(raising.error);
          raising.onsuccess = () => {
            raising.result.close();
            resolve();
          };
        }),
    );
    await scene.on.open("#/sync");
    await scene.on.press("Sync now");
    await notice(page, /A newer version of Fieldroll has opened the records/);
    expect(await page.getByLabel("Password").count()).toBe(0);
    await take(page);
    await expect.poll(() => buildOf(page), soon).toBe("second");
  });
});
