import type { Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

/** Somebody is registered with a household here, and by the office too; each scene stands on the ones before it. */
describeInChromium("Giving up a person who came with a household", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let people: readonly string[] = [];

  beforeAll(async () => {
    scene = await openScene({ name: "give-up", executablePath, height: 800, width: 400 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: Individual[] }>("/Individual?limit=1");
    people = data.map(({ identifier: [first] }) => `Individual/${first?.system}|${first?.value}`);
    await scene.signIn();
  });

  afterAll(() => scene?.close());

  const main = () => device.page().locator("main");
  /** The household beside it waits for the person, and leads to her record, not to what there is to decide. */
  const decision = (of: RegExp) => main().locator('a[href^="#/decide/"]', { hasText: of });

  it("waits for a decision, and the household with it", async () => {
    await device.goOffline();
    await on.open("#/register");
    await on.fill("Household name", "Twice household");
    const card = main().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill("Twice");
    await card.getByLabel("Family name").fill("Registered");
    await card.getByLabel("Nothing").check();
    await card.getByLabel(/^Identity number/).fill("TWICE-1");
    await on.press("Register household");
    await on.shown("Twice household");
    const identifier = [{ system: "urn:service:national-id", value: "TWICE-1" }];
    await office.post("/Individual", {
      type: "Individual",
      identifier,
      name: { given: "Twice", family: "There" },
      birthDate: "1980-03-02",
      address: [{ city: "Imus", country: "PH" }],
    });
    await device.goOnline();
    await on.open("#/sync");
    await on.press("Sync now");
    await expect.poll(() => on.count("parked")).toBe(1);
    await decision(/Twice Registered/).click();
    await main()
      .getByRole("heading", { name: /registered/i })
      .first()
      .waitFor();
    for (const text of ["Twice There", "2 March 1980", /^Imus/]) await on.shown(text);
    await on.shown(/^The other record was saved on /);
    expect(await main().getByText("The other version").count()).toBe(0);
    expect(await main().getByText("2 March 1980").count()).toBe(1);
    const primary = ".govuk-button:not(.govuk-button--secondary, .govuk-button--warning)";
    expect(await main().locator(primary).allTextContents()).toEqual([
      "They are the same: bring them together",
    ]);
    await device.picture("duplicate");
    // By the number that both have, this tablet knows the one that waits.
    expect(await main().getByRole("link", { name: "Open the registered record" }).count()).toBe(0);
  });

  it("leads to what has to be given up first", async () => {
    await on.press("Give up my changes");
    await on.press("Yes, give up my changes");
    await on.shown("These use it");
    await device.picture("used-by");
    await main().getByRole("link", { name: "Twice household" }).click();
    await main().getByText("Why is it not sent?").first().click();
    await on.press("Give up this registration");
    await device.picture("household");
    await on.press("Yes, give it up");
    await device.page().getByText("The registration was given up.").waitFor();
    await device.page().goBack();
    await on.shown("This registration was given up. Nothing of it is left on this device.");
    await device.picture("nothing-left");
    await on.open("#/sync");
  });

  it("is given up after that, and the office's stays", async () => {
    await decision(/Twice Registered/).click();
    await on.press("Give up my changes");
    await on.press("Yes, give up my changes");
    await expect.poll(() => on.count("parked")).toBe(0);
    await on.syncNow();
    await device.picture("given-up");
    const found = await office.get<{ data: Individual[] }>("/Individual?name=twice");
    expect(found.data.map(({ name }) => name.family)).toEqual(["There"]);
    expect((await office.get<{ data: object[] }>("/Group?name=twice")).data).toEqual([]);
  });

  it("tells of a change that is not sent which fields it is of, also before it is given up", async () => {
    await device.goOffline();
    const [reference = ""] = people;
    await on.editPerson(reference, async () => {
      await on.fill("Family name", "Mistyped");
      await on.fill("Middle name (optional)", "Middle");
    });
    await main().getByText("Why is it not sent?").click();
    await on.row("Changed on this device").getByText("Family name: Mistyped").waitFor();
    await on.press("Give up my changes");
    const asked = main().getByRole("region", { name: /^Give up your changes/ });
    await asked.getByText("Family name: Mistyped").waitFor();
    expect(await asked.getByRole("listitem").count()).toBe(2);
    await device.picture("change");
    await on.press("Yes, give up my changes");
    await expect.poll(() => on.row("Family name").textContent()).not.toBe("Mistyped");
  });
});
