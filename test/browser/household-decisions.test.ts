import type { Group, Individual, Program, ProgramMembership } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

const addressOf = ({ type, identifier: [first] }: Group | Individual | Program | ProgramMembership) =>
  `${type}/${first?.system}|${first?.value}`;
const reference = /(Individual|Group|ProgramMembership)\/|urn:/;

/** What an office does to a household while a tablet changes it, too; each scene stands on the ones before it. */
describeInChromium("A household that the office changes meanwhile", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let households: readonly Group[] = [];
  let programs: readonly Program[] = [];

  const said = (text: string) => device.page().getByRole("status").getByText(text).waitFor();
  const main = () => device.page().locator("main");
  const decide = (of: string) => on.open(`#/decide/${encodeURIComponent(of)}`);
  const isLivingThere = ({ inactive }: { inactive?: boolean }) => inactive !== true;
  const member = (of: Group, at: number) => of.member?.[at]?.entity.reference ?? "";
  const roleOf = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
  const nameOf = async (person: string) => {
    const { name } = await office.get<Individual>(`/${person}`);
    return `${name.given} ${name.family}`;
  };
  const changeRole = async (household: Group, { at, to }: { at: number; to: string }) => {
    const parts = [addressOf(household), member(household, at)].map(encodeURIComponent);
    await on.open(`#/member/${parts.join("/")}`);
    await main().getByLabel("Role in the household").selectOption({ label: to });
    await on.press("Save");
    await said("Saved on this device");
  };

  beforeAll(async () => {
    scene = await openScene({ name: "household-decisions", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    const data = await office.all<Group>("/Group");
    households = data
      .filter(({ address, member = [] }) => address?.[0]?.city === "Lodwar" && member.length > 3)
      .filter(({ member = [] }) => member.every(isLivingThere));
    programs = (await office.get<{ data: Program[] }>("/Program?status=active&limit=50")).data;
    await scene.signIn("area:KE/Turkana/Lodwar");
  });

  afterAll(() => scene?.close());

  it("is asked about member by member, by their names", async () => {
    const [household] = households as [Group];
    await device.goOffline();
    await changeRole(household, { at: 2, to: "Grandchild" });
    await changeRole(household, { at: 3, to: "Grandparent" });
    const { member: members = [] } = await office.get<Group>(`/${addressOf(household)}`);
    const changed = members.map((each, at) => ({
      ...each,
      ...(at === 2 && { role: roleOf("child_in_law") }),
      ...(at === 3 && { role: roleOf("parent_in_law") }),
    }));
    await office.patch(`/${addressOf(household)}`, { member: changed });
    await device.goOnline();
    await on.syncNow();
    await decide(addressOf(household));
    for (const at of [2, 3]) {
      const name = `Member: role (${await nameOf(member(household, at))})`;
      await main().getByRole("group", { name, exact: true }).getByLabel("Keep yours").check();
    }
    await device.picture("members");
    await on.press("Save these choices");
    await said("Your choice is saved on this device");
    await on.syncNow();
  });

  it("is told to be archived where it was merged, with the one that its people are in, and is not sent into", async () => {
    const [, source, target] = households as [Group, Group, Group];
    await device.goOffline();
    await changeRole(source, { at: 2, to: "Not related" });
    await on.open(`#/add-member/${encodeURIComponent(addressOf(source))}`);
    await main().getByLabel("A new person").check();
    await on.fill("Given name", "Kid");
    await on.fill("Family name", "Ekidor");
    await main().getByLabel("Nothing").check();
    await main().getByLabel("Role in the household").selectOption({ label: "Child" });
    await on.press("Add to household");
    await said("Saved on this device");
    await office.post("/Group/$merge", {
      source: { reference: addressOf(source) },
      target: { reference: addressOf(target) },
    });
    const { meta } = await office.get<Group>(`/${addressOf(source)}`);
    await device.goOnline();
    await on.syncNow();
    await main().getByRole("link", { name: source.name }).getByText("Archived").waitFor();
    await decide(addressOf(source));
    await on.shown("This record was archived");
    await on.shown("Its people are in another household now.");
    await main().getByRole("link", { name: "Kid Ekidor" }).waitFor();
    await on.shown("Kid Ekidor, child");
    for (const name of ["Send again as it is", "Edit the record"])
      expect(await main().getByRole("button", { name }).or(main().getByRole("link", { name })).count()).toBe(
        0,
      );
    await device.picture("archived");
    await main().getByRole("link", { name: target.name }).first().click();
    await main().getByRole("link", { name: "Add a member" }).waitFor();
    await decide(addressOf(source));
    await on.press("Give up my changes");
    await on.press("Yes, give up my changes");
    await said("Your changes were given up");
    await on.syncNow();
    expect((await office.get<Group>(`/${addressOf(source)}`)).meta?.versionId).toBe(meta?.versionId);
  });

  it("opens no registered enrollment that is not here yet, and says where there is nothing to compare", async () => {
    const [household] = households as [Group];
    const { data } = await office.get<{ data: ProgramMembership[] }>(
      `/ProgramMembership?beneficiary=${encodeURIComponent(addressOf(household))}&limit=50`,
    );
    const program = programs.find(
      (each) => each.targetType === "group" && !data.some((one) => one.program.reference === addressOf(each)),
    ) as Program;
    await device.goOffline();
    await on.open(`#/enroll/${encodeURIComponent(addressOf(household))}`);
    await main().getByRole("radio", { name: program.name }).check();
    await on.press("Enroll");
    await said("Saved on this device");
    await office.post("/ProgramMembership", {
      type: "ProgramMembership",
      identifier: [{ system: "urn:example:office", value: "E-1" }],
      program: { reference: addressOf(program) },
      beneficiary: { reference: addressOf(household) },
      status: "enrolled",
    });
    await device.goOnline();
    await on.syncNow();
    await main().getByRole("link", { name: household.name }).getByText("Already registered").waitFor();
    await main().getByRole("link", { name: household.name }).click();
    await on.shown("There is nothing to compare");
    await on.shown("If it is the same, your record becomes the registered one.");
    for (const none of ["both say something else", "They are not the same", "Edit the record", "Send again"])
      expect(await main().getByText(none).count()).toBe(0);
    await on.shown(`see ${household.name}, Enrollment in ${program.name}`);
    expect(await main().getByRole("link", { name: "Open the registered record" }).count()).toBe(0);
    expect(await main().getByText(reference).count()).toBe(0);
    await device.picture("duplicate");
    await on.press("Give up my changes");
    await on.press("Yes, give up my changes");
    await said("Your changes were given up");
    await on.openHousehold(addressOf(household));
    await main().getByRole("link", { name: program.name }).click();
    await main().locator("h1").getByText(program.name).waitFor();
  });
});
