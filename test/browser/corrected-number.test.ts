import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

const number = (value: string) => ({ system: "urn:service:national-id", value });

/** An identity number that the office and the tablet correct at once, each in its own way. */
describeInChromium("Who decides between two numbers", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let person = "";
  let unnumbered: Individual["identifier"] = [];
  let own: Individual["identifier"] = [];

  const main = () => device.page().locator("main");
  const question = () => main().getByRole("group", { name: "Identifier", exact: true });

  beforeAll(async () => {
    scene = await openScene({ name: "corrected-number", executablePath, height: 800, width: 400 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=100");
    const household = data.find(({ member = [] }) => member.filter((each) => !each.inactive).length > 1);
    const [one, another] = household?.member?.filter((each) => !each.inactive) ?? [];
    const first = await office.get<Individual>(`/${one?.entity.reference}`);
    const { identifier } = await office.get<Individual>(`/${another?.entity.reference}`);
    unnumbered = identifier.slice(0, 1);
    await office.patch(`/${another?.entity.reference}`, { identifier: unnumbered });
    own = first.identifier.slice(0, 1);
    person = `Individual/${own[0]?.system}|${own[0]?.value}`;
    await office.patch(`/${person}`, { identifier: [...own, number("A-1")] });
    const { country, state, city } = first.address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  it("is shown both in one question", async () => {
    await device.goOffline();
    await on.editPerson(person, () => on.fill("Identity number (optional)", "A-2"));
    await office.patch(`/${person}`, { identifier: [...own, number("A-3")] });
    await device.goOnline();
    await on.syncNow();
    await on.open(`#/decide/${encodeURIComponent(person)}`);
    await question().waitFor();
    await device.picture("question");
    const values = await main().locator(".app-choice__value dd").allTextContents();
    expect(values.filter((value) => value.startsWith("A-"))).toEqual(["A-1", "A-2", "A-3"]);
  });

  it("leaves one of them", async () => {
    await question().getByLabel("Keep yours", { exact: true }).check();
    await on.press("Save these choices");
    await main().getByRole("link", { name: "Edit person" }).waitFor();
    await on.syncNow();
    const { identifier } = await office.get<Individual>(`/${person}`);
    expect(identifier.filter(({ system }) => system === number("").system)).toEqual([number("A-2")]);
    await device.picture("decided");
  });

  it("is asked also of somebody who was registered without one", async () => {
    await office.patch(`/${person}`, { identifier: own });
    await on.syncNow();
    await on.editPerson(person, () => on.fill("Identity number (optional)", "B-1"));
    await on.syncNow();
    const { identifier } = await office.get<Individual>(`/${person}`);
    expect(identifier).toEqual([...own, number("B-1")]);
    await device.picture("given-later");
  });

  it("is told whose a number is that somebody else has", async () => {
    const reference = `Individual/${unnumbered[0]?.system}|${unnumbered[0]?.value}`;
    await on.open(`#/edit-person/${encodeURIComponent(reference)}`);
    await on.fill("Identity number (optional)", "B-1");
    await on.press("Save");
    const { name } = await office.get<Individual>(`/${person}`);
    const told = `${name.text} is already registered with this identity number. Correct it, or find`;
    await main().getByRole("alert").getByRole("link", { name: told }).click();
    await device.picture("taken");
    expect(await main().getByLabel("Identity number (optional)").inputValue()).toBe("B-1");
    expect((await office.get<Individual>(`/${reference}`)).identifier).toEqual(unnumbered);
  });
});
