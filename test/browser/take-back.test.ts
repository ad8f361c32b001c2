import type { Group } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

/** A family that was registered by mistake, and an edit of the wrong household; each scene stands on the ones before it. */
describeInChromium("What is not sent yet", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;

  const main = () => device.page().locator("main");
  const told = (text: string) => device.page().getByText(text, { exact: true }).waitFor();
  const asksWhy = () => main().getByText("Why is it not sent?").first().click();

  beforeAll(async () => {
    scene = await openScene({ name: "take-back", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    await scene.signIn();
  });

  afterAll(() => scene?.close());

  it("is listed by name", async () => {
    await device.goOffline();
    await on.open("#/register");
    await on.fill("Household name", "Mistaken household");
    const card = main().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill("Mis");
    await card.getByLabel("Family name").fill("Taken");
    await card.getByLabel("Nothing").check();
    await main()
      .getByRole("group", { name: "Enroll the household in" })
      .getByRole("checkbox")
      .first()
      .check();
    await on.press("Register household");
    await on.shown("Mistaken household");
    await on.open("#/sync");
    await main().getByRole("heading", { name: "Not sent yet" }).waitFor();
    await expect.poll(() => on.count("pending")).toBe(3);
    for (const name of [
      /^Mis Taken.*Person/,
      /^Mistaken household.*Household/,
      /^Mistaken household.*cash grant/,
    ])
      await main().getByRole("link", { name }).waitFor();
    await device.picture("listed");
  });

  it("is given up with all that was registered in one go", async () => {
    await main()
      .getByRole("link", { name: /^Mistaken household.*Household/ })
      .click();
    await main().getByRole("heading", { name: "Mistaken household" }).waitFor();
    await asksWhy();
    await on.press("Give up this registration");
    await on.shown("With it go 1 person and 1 enrollment that were not sent either.");
    await device.picture("asked");
    await on.press("Yes, give it up");
    await told("The registration was given up.");
    await expect.poll(() => on.count("pending")).toBe(0);
    await device.picture("given-up");
  });

  it("is given up where it is an edit, and the record is as it was", async () => {
    const { data } = await office.get<{ data: Group[] }>("/Group?limit=1");
    const [{ name, identifier } = {} as Group] = data;
    const reference = `Group/${identifier[0]?.system}|${identifier[0]?.value}`;
    await on.open(`#/edit-household/${encodeURIComponent(reference)}`);
    await on.fill("Household name", "Another name");
    await on.press("Save");
    await main().getByRole("heading", { name: "Another name" }).waitFor();
    await asksWhy();
    await on.press("Give up my changes");
    await on.press("Yes, give up my changes");
    await told("Your changes were given up.");
    await main().getByRole("heading", { name }).waitFor();
    await device.picture("as-it-was");
  });

  it("is nowhere then", async () => {
    await device.goOnline();
    await on.syncNow();
    expect((await office.get<{ data: object[] }>("/Group?name=mistaken")).data).toEqual([]);
    expect((await office.get<{ data: object[] }>("/Group?name=another%20name")).data).toEqual([]);
    expect((await office.get<{ data: object[] }>("/Individual?name=taken")).data).toEqual([]);
  });
});
