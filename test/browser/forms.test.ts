import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

type List<T> = { data: T[] };

/** What a person types, and what is said of it; each scene stands on the ones before it. */
describeInChromium("What is typed into a form", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household: Group;
  let reference = "";
  let members: readonly string[] = [];

  const main = () => device.page().locator("main");
  const person = () => main().getByRole("group", { name: "Person 1", exact: true });
  const told = (text: string) => main().getByRole("alert").getByText(text).first().waitFor();

  beforeAll(async () => {
    scene = await openScene({ name: "forms", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    const { data } = await office.get<List<Group>>("/Group?groupType=household&limit=100");
    household = data.find(({ member = [] }) => member.filter((each) => !each.inactive).length > 2) as Group;
    reference = `Group/${household.identifier[0]?.system}|${household.identifier[0]?.value}`;
    members = household.member?.filter((each) => !each.inactive).map(({ entity }) => entity.reference) ?? [];
    const { country, state, city } = household.address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  it("is not said to be unknown where it is the name of a member", async () => {
    const { name } = await office.get<Individual>(`/${members[1]}`);
    await on.open(`#/add-member/${encodeURIComponent(reference)}`);
    await on.fill("Find the person by name or identifier", name.text ?? "");
    await on.shown(`${name.text} is already a member of this household.`);
    expect(await main().getByText("Nobody of this name or number").count()).toBe(0);
    await device.picture("already-a-member");
    const item = main()
      .getByRole("listitem")
      .filter({ hasText: `${name.text} is already` });
    await item.getByRole("link", { name: "Change their place in it" }).click();
    await main().getByRole("heading", { name: "Change a member" }).waitFor();
    await main()
      .getByText(name.text ?? "")
      .first()
      .waitFor();
  });

  it("is not cut where it is too long, and names are short in the messages", async () => {
    const long = "x".repeat(300);
    await on.open("#/register");
    await on.fill("Household name", long);
    await person().getByLabel("Given name").fill(long);
    await person().getByLabel("Nothing").check();
    await on.press("Register household");
    await told("Household name has 300 characters, and may have at most 255. Shorten it");
    await told(`Person 1 (${"x".repeat(40)}…): Given name has 300 characters, and may have at most 255.`);
    expect(await main().getByLabel("Household name", { exact: true }).inputValue()).toBe(long);
    await device.picture("too-long");
  });

  it("is taken in digits of any script, and found by them", async () => {
    await on.fill("Household name", "Zahra household");
    await person().getByLabel("Given name").fill("زهراء");
    await person().getByLabel("The exact date").check();
    for (const [part, typed] of Object.entries({ Day: "३", Month: "٤", Year: "۱۹۹۰" }))
      await person().getByLabel(part, { exact: true }).fill(typed);
    await person().getByLabel("Phone number (optional)").fill("+٩٦٣ ١١ ٥٥٥ ٠١٠٠");
    await person().getByLabel("Identity number (optional)").fill("٧٧-৪২");
    await on.press("Register household");
    await main().getByRole("heading", { name: "Zahra household" }).waitFor();
    await on.syncNow();
    const { data } = await office.get<List<Individual>>("/Individual?identifier=77-42");
    expect(data[0]).toMatchObject({ birthDate: "1990-04-03", telecom: [{ value: "+963 11 555 0100" }] });
    await on.find("٧٧-٤٢");
    await main().getByRole("link", { name: "زهراء" }).waitFor();
  });

  it("is told by its count when it is back, as long as it waits", async () => {
    const [conflicting = "", waiting = ""] = members;
    await device.goOffline();
    await on.editPerson(conflicting, () => on.fill("Family name", "Here"));
    await office.patch(`/${conflicting}`, { name: { family: "There" } });
    await device.goOnline();
    await on.syncNow();
    await expect.poll(() => on.count("parked")).toBe(1);
    await device.goOffline();
    await on.editPerson(waiting, () => on.fill("Given name", "Waiting"));
    await on.open("#/sync");
    await on.press("Sign out");
    await on.press("Sign out and keep the changes here");
    await on.shown("User name");
    await device.goOnline();
    await on.signIn("enumerator", "walk-house-to-house");
    await device.page().getByText("1 record with your changes is back, and needs your decision.").waitFor();
    await device.picture("back");
    await expect.poll(async () => (await office.get<Individual>(`/${waiting}`)).name.given).toBe("Waiting");
  });
});
