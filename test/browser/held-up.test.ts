import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Group } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { openGate } from "./stage/gate.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { type Office, openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/held-up", import.meta.url));
const enumerator = { id: "enumerator", secret: "walk-house-to-house" };
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };

/** A download that was cut short, and a pause; each scene stands on the ones before it. */
describeInChromium("What is not here yet, and what is not sent", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let gate: Server;
  let pagesLeft = 3;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household = "";

  const page = () => device.page();
  const main = () => page().locator("main");
  const notice = () => page().getByRole("region", { name: "Notice" });
  const resume = () => notice().getByRole("button", { name: "Go on" });

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-held-up-"));
    server = await startDemonstration(join(folder, "registry.db"));
    office = await openOffice(server.url, supervisor);
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=1");
    household = `Group/${data[0]?.identifier[0]?.system}|${data[0]?.identifier[0]?.value}`;
    // Pages of changes get through as long as some are left.
    gate = await openGate(server.port, ({ url = "/" }, answer) => {
      const isStopped = url.includes("/$changes?") && pagesLeft-- <= 0;
      if (isStopped) answer.destroy();
      return isStopped;
    });
    const { port } = gate.address() as AddressInfo;
    const screen = { width: 800, height: 1280 };
    device = await openDevice({ name: "held-up", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
  });

  afterAll(async () => {
    await device?.close();
    gate?.closeAllConnections();
    gate?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is told of a first download that was cut short, also after a kill and without a network", async () => {
    await on.signIn(enumerator.id, enumerator.secret);
    await notice().getByText("The first download is not finished: ").waitFor();
    await on.isAvailableOffline();
    await device.goOffline();
    await device.kill();
    await device.start();
    on = screensOf(device);
    await notice().getByText("You are offline.").waitFor();
    await notice().getByText("It goes on when there is a network.").waitFor();
    await on.find("Nobody Such");
    await on.shown(
      "Nobody of this name or number so far. The download is not finished: this person may be registered",
    );
    await on.shown("No household of this name or number so far.");
    expect(await main().getByText("which has all areas").count()).toBe(0);
    await device.picture("cut-short");
  });

  it("is told no longer once the download is complete", async () => {
    pagesLeft = Number.POSITIVE_INFINITY;
    await device.goOnline();
    await on.firstSyncIsComplete();
    expect(await notice().getByText("first download").count()).toBe(0);
    await on.find("Nobody Such");
    await on.shown("Nobody of this name or number on this device, which has all areas.");
  });

  it("is told of a pause on every screen, with the button that ends it", async () => {
    await on.open("#/sync");
    await on.press("Pause");
    await notice().getByText("Paused since ").waitFor();
    expect(await resume().count()).toBe(0);
    await device.picture("pause");
    await on.open(`#/edit-household/${encodeURIComponent(household)}`);
    await on.fill("Household name", "In the pause");
    await resume().waitFor();
    await on.press("Save");
    await main().getByRole("heading", { name: "In the pause" }).waitFor();
    await resume().waitFor();
    await page().getByText("Why is it not sent?").click();
    await on.row("Will be sent").getByText("After you press “Go on” on the Sync screen").waitFor();
    await device.picture("pause-household");
  });

  it("is told of the pause of somebody else", async () => {
    await on.open("#/sync");
    await on.press("Sign out");
    await on.press("Sign out and keep the changes here");
    await on.shown("User name");
    await on.signIn(supervisor.id, supervisor.secret);
    await notice().getByText(", by another person: nothing is sent").waitFor();
    await resume().waitFor();
    await on.shown("There is no record on this device so far. The download is not finished.");
    await notice().getByText("It goes on after you press “Go on”.").waitFor();
    await device.picture("pause-of-another");
  });

  it("is told that programs are not here yet, rather than that none is left", async () => {
    await on.open("#/register");
    await on.fill("Household name", "Early household");
    const card = page().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Given name").fill("Early");
    await card.getByLabel("Nothing").check();
    await on.press("Register household");
    await main().getByRole("heading", { name: "Early household" }).waitFor();
    await on.shown("No program is on this device yet: the download is not finished.");
    await device.picture("no-programs");
  });

  it("is not promised to be sent in the pause, and gone from the message once it is sent", async () => {
    await on.open("#/sync");
    await on.press("Sign out");
    await on.press("Sign out and keep the changes here");
    await on.shown("User name");
    await on.signIn(enumerator.id, enumerator.secret);
    const told = page().getByText("1 record with your changes is back");
    await told.waitFor();
    await expect
      .poll(() => told.textContent())
      .toBe("1 record with your changes is back. It waits until sending goes on.");
    await device.picture("back-in-the-pause");
    await resume().click();
    await told.waitFor({ state: "detached" });
    await resume().waitFor({ state: "detached" });
    await expect.poll(async () => (await office.get<Group>(`/${household}`)).name).toBe("In the pause");
  });
});
