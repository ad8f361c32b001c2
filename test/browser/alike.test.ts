import type { Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";

/** Somebody who is registered already is registered once more; each scene stands on the ones before it. */
describeInChromium("Who looks like somebody on the tablet", (executablePath) => {
  let scene: Scene | undefined;
  let device: Device;
  let on: Screens;
  let name: Individual["name"];

  const main = () => device.page().locator("main");
  const warning = () => main().getByRole("region", { name: "This person may be registered already" });
  const question = () => main().getByRole("alert").filter({ hasText: "already registered?" });

  beforeAll(async () => {
    scene = await openScene({ name: "alike", executablePath, height: 800, width: 400 });
    ({ device, on } = scene);
    const { data } = await scene.office.get<{ data: Individual[] }>("/Individual?limit=1");
    const [person] = data as [Individual];
    const { country, state, city } = person.address?.[0] ?? {};
    name = person.name;
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  it("is shown with the way to the record, which opens beside the form", async () => {
    await on.open("#/register");
    await on.fill("Household name", "Alike household");
    const card = main().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill(name.given ?? "");
    await card.getByLabel("Family name").fill(name.family ?? "");
    await card.getByLabel("Nothing").check();
    await warning().waitFor();
    await device.picture("warning");
    const opening = device.page().waitForEvent("popup");
    await warning().getByRole("link", { name: "Open the record (opens in a new tab)" }).first().click();
    const beside = await opening;
    await beside.getByRole("heading", { name: "Details" }).waitFor();
    await beside.close();
  });

  it("is asked about once, wherever it is answered", async () => {
    await on.press("Register household");
    await question().waitFor();
    await device.picture("question");
    await warning()
      .getByRole("button", { name: /^It is (another person|none of them)$/ })
      .click();
    await question().waitFor({ state: "detached" });
    expect(await warning().count()).toBe(0);
    await on.press("Register household");
    await main().getByRole("heading", { name: "Alike household" }).waitFor();
  });
});
