import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

/** Forms of records that the office changes meanwhile; each scene stands on the ones before it. */
describeInChromium("Who saves what someone else changed meanwhile", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household = "";
  let person = "";

  const main = () => device.page().locator("main");
  const warning = () => main().getByRole("alert").filter({ hasText: "Someone else changed the same fields" });
  const save = () => main().getByRole("button", { name: "Save", exact: true });
  const anyway = () => warning().getByRole("button", { name: "Save mine anyway" });
  const isFocused = () => warning().evaluate((box) => box === document.activeElement);
  const top = () => warning().evaluate((box) => box.getBoundingClientRect().top);
  /** Where the warning's beginning is on the screen: in its upper half. */
  const expectToBeSeen = async () => {
    await warning().waitFor();
    await expect.poll(isFocused).toBe(true);
    expect(await top()).toBeGreaterThanOrEqual(0);
    expect(await top()).toBeLessThan(600);
  };

  beforeAll(async () => {
    scene = await openScene({ name: "warned", executablePath, height: 640 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=50");
    const group = data.find(({ member = [] }) => member.length >= 2);
    household = `Group/${group?.identifier[0]?.system}|${group?.identifier[0]?.value}`;
    person = group?.member?.[0]?.entity.reference ?? "";
    const { country, state, city } = group?.address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  /** Types into a form, has the office change the record, and comes back to the form, which was filled before that. */
  const typeMeanwhile = async (hash: string, label: string, change: () => Promise<unknown>) => {
    await on.open(hash);
    await on.fill(label, "Ours");
    await change();
    await on.syncNow();
    await on.open(hash);
    await on.shown("Unsaved input from");
  };

  it("is led to the warning, and saves nothing by a second tap", async () => {
    const hash = `#/edit-person/${encodeURIComponent(person)}`;
    await typeMeanwhile(hash, "Family name", () =>
      office.patch(`/${person}`, { name: { family: "Theirs", given: "Theirs too" } }),
    );
    await save().dblclick();
    await expectToBeSeen();
    await device.picture("person");
    expect(await save().count()).toBe(0);
    await main().getByRole("button", { name: "Look at what they changed" }).click();
    await expectToBeSeen();
    await main().getByLabel("Family name", { exact: true }).press("Enter");
    await expectToBeSeen();
    await main().getByRole("heading", { name: "Edit person" }).waitFor();
    expect((await office.get<Individual>(`/${person}`)).name.family).toBe("Theirs");
  });

  it("is warned again of another field before it is overwritten", async () => {
    await on.fill("Given name", "Ours too");
    await anyway().click();
    await warning().getByRole("heading", { name: "Given name" }).waitFor();
    await expectToBeSeen();
    await anyway().click();
    await expect.poll(() => on.row("Family name").textContent()).toBe("Ours");
    expect(await on.row("Given name").textContent()).toBe("Ours too");
    await on.syncNow();
    expect((await office.get<Individual>(`/${person}`)).name).toMatchObject({
      family: "Ours",
      given: "Ours too",
    });
  });

  it("is led to the warning in a household’s form, and may leave it", async () => {
    const hash = `#/edit-household/${encodeURIComponent(household)}`;
    await typeMeanwhile(hash, "Household name", () => office.patch(`/${household}`, { name: "Theirs" }));
    await save().click();
    await expectToBeSeen();
    await device.picture("household");
    await main().getByRole("link", { name: "Cancel" }).click();
    await main().getByRole("heading", { name: "Theirs" }).waitFor();
  });
});
