import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Group } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/short-names", import.meta.url));
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };

/** Eva Ana, among the many of the demonstration who are called Villanueva and Uriana. */
describeInChromium("Somebody with a short name", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let device: Device;
  let on: Screens;
  let household = "";

  const main = () => device.page().locator("main");

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-short-names-"));
    server = await startDemonstration(join(folder, "registry.db"));
    const office = await openOffice(server.url, supervisor);
    await office.post("/Individual", {
      type: "Individual",
      identifier: [{ system: "urn:service:national-id", value: "EVA-ANA" }],
      name: { given: "Eva", family: "Ana" },
    });
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=1");
    const [first] = data[0]?.identifier ?? [];
    household = `Group/${first?.system}|${first?.value}`;
    const screen = { width: 400, height: 700 };
    const port = server.port;
    device = await openDevice({ name: "names", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
    await on.signIn(supervisor.id, supervisor.secret);
    await on.firstSyncIsComplete();
  });

  afterAll(async () => {
    await device?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const found = async (term: string) => {
    await on.find(term);
    const people = main().locator("section").filter({ hasText: "People" });
    return people.locator("li .app-list__title").allTextContents();
  };

  it.each(["Eva", "Eva Ana"])("is the first who is found by “%s”", async (term) => {
    expect((await found(term))[0]).toBe("Eva Ana");
    await device.picture("found");
  });

  it("is not behind those who have it inside theirs, where more people have the name", async () => {
    expect((await found("ana")).filter((name) => !/\bana\b/i.test(name))).toEqual([]);
  });

  it("is offered first as a member of a household, and others when they are asked for", async () => {
    await on.open(`#/add-member/${encodeURIComponent(household)}`);
    await on.fill("Find the person by name or identifier", "eva");
    const offered = main().getByRole("group", { name: "Choose the person" }).getByRole("radio");
    await expect.poll(() => offered.count()).toBe(10);
    const first = main().getByRole("group", { name: "Choose the person" }).locator("label").first();
    expect(await first.textContent()).toContain("Eva Ana");
    await device.picture("offered");
    await on.press("Show more");
    await expect.poll(() => offered.count()).toBeGreaterThan(10);
  });
});
