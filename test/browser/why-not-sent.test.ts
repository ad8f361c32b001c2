import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

const nationalId = "urn:service:national-id";

/** What holds up a change, as the screens tell it; each scene stands on the ones before it. */
describeInChromium("What is not sent", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let households: readonly Group[] = [];

  const page = () => device.page();
  const main = () => page().locator("main");
  const addressOf = ({ identifier: [first] }: Group | Individual) => `${first?.system}|${first?.value}`;
  const memberOf = (of: Group | undefined, at: number) => of?.member?.[at]?.entity.reference ?? "";
  const nameOf = async (reference: string) => (await office.get<Individual>(`/${reference}`)).name;
  const why = () => page().getByText("Why is it not sent?").click();
  const register = async (household: string, person: { given: string; family: string; number?: string }) => {
    await on.open("#/register");
    await on.fill("Household name", household);
    await main().getByLabel("Given name").fill(person.given);
    await main().getByLabel("Family name").fill(person.family);
    await main().getByLabel("Nothing").check();
    if (person.number) await main().getByLabel("Identity number (optional)").fill(person.number);
    await on.press("Register household");
    await main().getByRole("heading", { name: household }).waitFor();
  };

  beforeAll(async () => {
    scene = await openScene({ name: "why-not-sent", executablePath, height: 900 });
    ({ office, device, on } = scene);
    const data = await office.all<Group>("/Group");
    households = data.filter(
      ({ address, member = [] }) =>
        address?.[0]?.city === "Lodwar" && member.filter((each) => !each.inactive).length > 3,
    );
    await scene.signIn("area:KE/Turkana/Lodwar");
    await page().setViewportSize({ width: 400, height: 900 });
  });

  afterAll(() => scene?.close());

  it("tells that the server can't be reached, and when it is tried again", async () => {
    device.line.cut();
    const person = memberOf(households[0], 1);
    await on.editPerson(person, () => on.fill("Middle name (optional)", "Unreached"));
    await why();
    await on
      .row("Will be sent")
      .getByText(/can.t be reached/)
      .waitFor();
    await on
      .row("Will be sent")
      .getByText(/^\d+ \w+ \d{4}, \d\d:\d\d/)
      .waitFor();
    await device.picture("unreached");
  });

  it("tells so of a household that waits for its people", async () => {
    await register("Unreached household", { given: "Una", family: "Reached" });
    await why();
    await on.row("Will be sent").getByText("After Una Reached").waitFor();
    await on
      .row("Will be sent")
      .getByText(/^Next attempt: \d+ /)
      .waitFor();
    await on
      .row("Will be sent")
      .getByText(/can.t be reached/)
      .waitFor();
    await device.picture("unreached-household");
    device.line.mend();
    await on.syncNow();
  });

  it("tells that all else waits for a decision, and where that is", async () => {
    await device.goOffline();
    await register("Twice household", { given: "Dupi", family: "Twice", number: "T-1" });
    await office.post("/Individual", {
      type: "Individual",
      identifier: [{ system: nationalId, value: "T-1" }],
      name: { given: "Other", family: "Person" },
    });
    await device.goOnline();
    await on.open("#/sync");
    await on.press("Sync now");
    await on.row("Right now").getByText("Waiting for your decision").waitFor();
    await on.row("Next attempt").getByText("After your decision: see “Needs your decision” above").waitFor();
    await on.shown("The other changes wait until you have decided: see “Needs your decision”.");
    expect(await on.row("Last problem").textContent()).toBe("None");
    await device.picture("held");
    await main().getByRole("link", { name: "Twice household" }).click();
    await why();
    await on.row("Will be sent").getByRole("link", { name: "Decide now" }).click();
    await on.shown("This record is already registered");
  });

  it("asks by the names of both where two people were made the head, for one choice decides on both", async () => {
    const [, household] = households as [Group, Group];
    const isHead = (role: unknown) => JSON.stringify(role ?? "").includes('"head"');
    const withoutHead = (household.member ?? []).map((each) =>
      isHead(each.role)
        ? {
            ...each,
            role: { coding: [{ system: "urn:service:vocab:relationship", code: "other_relative" }] },
          }
        : each,
    );
    await office.patch(`/Group/${addressOf(household)}`, { name: "Headless household", member: withoutHead });
    await on.open("#/sync");
    await on.press("Sync now");
    await on.openHousehold(`Group/${addressOf(household)}`);
    await main().getByRole("heading", { name: "Headless household" }).waitFor();
    await device.goOffline();
    const [mine, theirs] = [memberOf(household, 1), memberOf(household, 2)];
    await on.open(`#/member/${[`Group/${addressOf(household)}`, mine].map(encodeURIComponent).join("/")}`);
    await main().getByLabel("Role in the household").selectOption({ label: "Head" });
    await on.press("Save");
    await main().getByRole("link", { name: "Add a member" }).waitFor();
    const made = withoutHead.map((each, at) =>
      at === 2
        ? { ...each, role: { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] } }
        : each,
    );
    await office.patch(`/Group/${addressOf(household)}`, { member: made });
    await device.goOnline();
    await on.open("#/sync");
    await on.press("Sync now");
    await main()
      .getByRole("link", { name: "Headless household" })
      .getByText("Changed by two people")
      .waitFor();
    await on.open(`#/decide/${encodeURIComponent(`Group/${addressOf(household)}`)}`);
    const names = await Promise.all([mine, theirs].map(nameOf));
    const asked = `Members (${names.map(({ text }) => text).join(", ")})`;
    await main().getByRole("group", { name: asked, exact: true }).getByLabel("Take theirs").check();
    await device.picture("two-heads");
    expect(await page().evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    await on.press("Save these choices");
    await page().getByRole("status").getByText("Your choice is saved on this device").waitFor();
  });

  it("tells of an archived person who may be the same, and nothing of two records where none is known", async () => {
    const [first, second] = [memberOf(households[2], 1), memberOf(households[2], 2)];
    const { name, address } = await office.get<Individual>(`/${first}`);
    await office.post("/Individual", {
      type: "Individual",
      identifier: [{ system: "urn:example:office", value: "again" }],
      name: { given: name.given, family: name.family },
      address,
    });
    await on.open("#/sync");
    await on.press("Sync now");
    await expect
      .poll(
        async () => {
          await on.find(name.text ?? "");
          return main()
            .getByRole("link", { name: name.text ?? "" })
            .count();
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(1);
    await device.goOffline();
    await on.editPerson(first, () => on.fill("Middle name (optional)", "Late"));
    await on.editPerson(second, () => on.fill("Given name", "Xyzzy"));
    await on.editPerson(second, () => on.fill("Family name", "Qwrtp"));
    for (const person of [first, second]) await office.patch(`/${person}`, { active: false });
    await device.goOnline();
    await on.open("#/sync");
    await on.press("Sync now");
    await main().getByRole("link", { name: "Xyzzy Qwrtp" }).getByText("Archived").waitFor();
    await on.open(`#/decide/${encodeURIComponent(first)}`);
    await on.shown("This record was archived");
    expect(await main().getByText("two records").count()).toBe(0);
    await main().getByRole("heading", { name: "Who may be the same person" }).waitFor();
    await main()
      .getByRole("link", { name: `${name.given} ${name.family}` })
      .first()
      .waitFor();
    await device.picture("archived-alike");
    await on.open(`#/decide/${encodeURIComponent(second)}`);
    await on.shown("The server does not say why, and nobody on this device looks alike.");
    await device.picture("archived-alone");
  });
});
