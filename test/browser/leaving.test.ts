import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

const unreadable = /Individual\/|urn:/;

/** A tablet that has one area; each scene stands on the ones before it. */
describeInChromium("An address outside of the tablet’s area", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household = "";
  let members: readonly string[] = [];

  const main = () => device.page().locator("main");
  const town = "Town or municipality (optional)";
  const isThere = () => main().getByRole("checkbox", { name: /^Yes, Lodwer/ });
  const role = (of: string) => `#/member/${encodeURIComponent(household)}/${encodeURIComponent(of)}`;
  const edit = async (person: string) => {
    await on.open(`#/edit-person/${encodeURIComponent(person)}`);
    await main().getByRole("heading", { name: "Edit person" }).waitFor();
  };

  beforeAll(async () => {
    scene = await openScene({ name: "leaving", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    const data = await office.all<Group>("/Group");
    const group = data.find(
      ({ address, member = [] }) => address?.[0]?.city === "Lodwar" && member.length > 2,
    );
    household = `Group/${group?.identifier[0]?.system}|${group?.identifier[0]?.value}`;
    members = group?.member?.map(({ entity }) => entity.reference) ?? [];
    await scene.signIn("area:KE/Turkana/Lodwar");
  });

  afterAll(() => scene?.close());

  it("is asked about before it is saved, and nothing is saved until the person says that it is right", async () => {
    await edit(members[2] ?? "");
    await on.fill(town, "Lodwer");
    await on.press("Save");
    await on.shown("It is outside the area on this device, Lodwar, Turkana (Kenya)");
    await device.picture("asked");
    await on.press("Save");
    expect(await isThere().isChecked()).toBe(false);
    await on.shown("Check the address (Lodwer, Turkana, Kenya).");
    const { address } = await office.get<Individual>(`/${members[2]}`);
    expect(address?.[0]?.city).toBe("Lodwar");
  });

  it("is not asked about any more once it is mended", async () => {
    await on.fill(town, "Lodwar");
    await on.press("Save");
    await device.page().getByText("Saved on this device", { exact: true }).waitFor();
    expect(await isThere().count()).toBe(0);
  });

  it("keeps a record at hand until it is sent, and tells what became of it then", async () => {
    await device.goOffline();
    await edit(members[2] ?? "");
    await on.fill(town, "Lodwer");
    await on.press("Save");
    await isThere().check();
    await device.picture("agreed");
    await on.press("Save");
    await device.page().getByText("Once it is sent, this device has it no more").waitFor();
    await main().getByRole("link", { name: "Edit person" }).waitFor();
    await device.picture("saved");
    await device.goOnline();
    await on.shown("It is still registered: do not register it again.");
    await device.picture("left");
  });

  it("leaves words in the place of a name that is not known here", async () => {
    await on.openHousehold(household);
    await main().getByRole("link", { name: "A person who is not on this device" }).first().waitFor();
    expect(await main().getByRole("link", { name: unreadable }).count()).toBe(0);
    await device.picture("household");
    await on.open(role(members[2] ?? ""));
    await main().locator("h1").getByText("A person who is not on this device").waitFor();
  });

  it("is asked about when a household is registered, too", async () => {
    await on.open("#/register");
    await on.fill("Household name", "Ekai household");
    await on.fill(town, "Lodwer");
    const card = main().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill("Ekai");
    await card.getByLabel("Nothing").check();
    await on.press("Register household");
    await isThere().check();
    await device.picture("register");
    await on.press("Register household");
    await device.page().getByText("Ekai household is registered on this device. Lodwer").waitFor();
    await device.page().getByText("what others change there is fetched once a day").waitFor();
  });

  it("does not keep a head from being chosen who was typed while another one was", async () => {
    const [head = "", next = ""] = members;
    await on.open(role(next));
    await main().getByLabel("Role in the household").selectOption({ label: "Head" });
    await on.press("Save");
    await on.shown("Only one person can be the head of the household");
    await on.open(role(head));
    await main().getByLabel("Role in the household").selectOption({ label: "Parent" });
    await on.press("Save");
    await device.page().getByText("Saved on this device", { exact: true }).waitFor();
    await on.open(role(next));
    await on.shown("was brought back");
    await on.press("Save");
    await device.page().getByText("Saved on this device", { exact: true }).waitFor();
    await on.shown("Head");
  });
});
