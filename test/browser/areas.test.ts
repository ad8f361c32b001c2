import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import type { ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/areas", import.meta.url));
const ana = { id: "enumerator", secret: "walk-house-to-house" };
const ben = { id: "supervisor", secret: "look-twice-sign-once" };
const imus = "Imus, Cavite (Philippines)";
const lodwar = "Lodwar, Turkana (Kenya)";

/** Two people who take turns on one tablet, each in an area of their own; each scene stands on the ones before it. */
describeInChromium("The area that a person downloads", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let device: Device;
  let on: Screens;

  const main = () => device.page().locator("main");
  const area = () => main().getByLabel("Area to download");
  const shownArea = () => area().locator("option:checked").textContent();
  const signOut = async () => {
    await on.open("#/sync");
    await on.press("Sign out");
    await on.shown("User name");
  };

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-areas-"));
    server = await startDemonstration(join(folder, "registry.db"));
    const screen = { width: 360, height: 640 };
    const port = server.port;
    device = await openDevice({ name: "areas", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
  });

  afterAll(async () => {
    await device?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is there after a kill right after the sign-in", async () => {
    await area().selectOption({ label: imus });
    await on.signIn(ana.id, ana.secret);
    await device.kill();
    await device.start();
    on = screensOf(device);
    await on.firstSyncIsComplete();
    await expect.poll(() => on.row("Area on this device").textContent()).toBe(imus);
    await device.picture("sync");
  });

  it("is named where a search finds nobody", async () => {
    await on.find("Nobody Such");
    await on.shown(`Nobody of this name or number on this device, which has the area ${imus}.`);
    await device.picture("nobody");
  });

  it("is not left to the next person, who chooses her own", async () => {
    await signOut();
    await on.fill("User name", ben.id);
    await expect.poll(shownArea).toBe("All areas");
    await area().selectOption({ label: lodwar });
    await on.signIn(ben.id, ben.secret);
    await on.firstSyncIsComplete();
    await expect.poll(() => on.row("Area on this device").textContent()).toBe(lodwar);
  });

  it("is offered again to the person before", async () => {
    await signOut();
    await on.fill("User name", ana.id);
    await expect.poll(shownArea).toBe(imus);
    await device.picture("sign-in");
    await on.signIn(ana.id, ana.secret);
    await on.shown(`Area on this device: ${imus}`);
  });

  it("can't be had again after signing out without a network, which is said before", async () => {
    await device.goOffline();
    await on.open("#/sync");
    await on.press("Sign out");
    await on.shown("Nobody can sign in on this device, you included, until there is a network again.");
    await device.picture("sign-out-offline");
    await on.press("Sign out without a network");
    await on.shown("You need a network to sign in");
  });
});
