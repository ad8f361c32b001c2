import type { Group, Individual, Program, ProgramMembership } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

/** A person whom the office and the device change at once; each scene stands on the ones before it. */
describeInChromium("Who decides between two versions", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let person = "";
  let household: Group;
  let program: Program;
  let enrollment = "";

  const main = () => device.page().locator("main");
  const group = (name: string) => main().getByRole("group", { name, exact: true });
  const choice = (name: string, of: string) => group(of).getByLabel(name, { exact: true });
  const fillDay = async (label: string, day: string) => {
    const parts = day.split("-");
    for (const [at, part] of ["Year", "Month", "Day"].entries())
      await group(label)
        .getByLabel(part, { exact: true })
        .fill(parts[at] ?? "");
  };
  const values = (path: string) =>
    main().locator(`section[data-path="${path}"] .app-choice__value dd`).allTextContents();

  beforeAll(async () => {
    scene = await openScene({ name: "decide", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: ProgramMembership[] }>(
      "/ProgramMembership?status=enrolled&limit=100",
    );
    const ofGroup = data.find(({ beneficiary }) => beneficiary.reference.startsWith("Group/"));
    enrollment = `ProgramMembership/${ofGroup?.identifier[0]?.system}|${ofGroup?.identifier[0]?.value}`;
    household = await office.get<Group>(`/${ofGroup?.beneficiary.reference}`);
    program = await office.get<Program>(`/${ofGroup?.program.reference}`);
    person = household.member?.[0]?.entity.reference ?? "";
    await office.patch(`/${person}`, { birthDate: "1980-01-01", birthDateEstimated: true });
    const { country, state, city } = household.address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  it("is asked about a date of birth and its estimate in one question, worded as the person’s page does", async () => {
    await device.goOffline();
    await on.editPerson(person, async () => {
      await on.fill("Family name", "Here");
      await on.fill("Age in years, or year of birth", "1986");
    });
    const { name } = await office.get<Individual>(`/${person}`);
    await office.patch(`/${person}`, {
      name: { ...name, family: "There" },
      birthDate: "1985-05-05",
      birthDateEstimated: false,
    });
    await device.goOnline();
    await on.syncNow();
    await on.open(`#/decide/${encodeURIComponent(person)}`);
    await group("Date of birth").waitFor();
    expect(await main().getByText("Date of birth is an estimate").count()).toBe(0);
    expect(await values("/birthDate")).toEqual([
      "About 1980 (estimated)",
      "About 1986 (estimated)",
      "5 May 1985",
    ]);
    await device.picture("birth");
  });

  it("keeps the choices that news leaves as they were, and is told of the others", async () => {
    await choice("Keep yours", "Family name").check();
    await choice("Keep yours", "Date of birth").check();
    await office.patch(`/${person}`, { birthDate: "1985-06-06" });
    const beside = await device.page().context().newPage();
    await beside.goto(`${device.address}#/sync`);
    await beside.getByRole("button", { name: "Sync now" }).click();
    await main()
      .getByRole("alert")
      .filter({ hasText: "This record changed while this screen was open. Look again at: Date of birth." })
      .waitFor();
    await beside.close();
    expect(await values("/birthDate")).toContain("6 June 1985");
    expect(await choice("Keep yours", "Family name").isChecked()).toBe(true);
    expect(await choice("Keep yours", "Date of birth").isChecked()).toBe(false);
    await on.press("Save these choices");
    await on.shown("Choose a value for: Date of birth");
    await device.picture("news");
  });

  it("takes date and estimate from the same version", async () => {
    await choice("Take theirs", "Date of birth").check();
    await on.press("Save these choices");
    await expect.poll(() => on.row("Date of birth").textContent()).toContain("6 June 1985");
    await on.syncNow();
    expect(await office.get<Individual>(`/${person}`)).toMatchObject({
      name: { family: "Here" },
      birthDate: "1985-06-06",
      birthDateEstimated: false,
    });
  });

  it("finds an enrollment in the list by the household and the program", async () => {
    await device.goOffline();
    await on.open(`#/enrollment/${encodeURIComponent(enrollment)}`);
    await main().getByLabel("Paused").check();
    await on.press("Save the new status");
    await device.page().getByText("Saved on this device").waitFor();
    await office.put(`/${enrollment}`, { status: "exited", exitReason: "Moved" });
    await device.goOnline();
    await on.syncNow();
    const item = main().getByRole("link", { name: household.name });
    await item.getByText(`Enrollment in ${program.name}`).waitFor();
    await device.picture("enrollment");
    await item.click();
    await main().locator("h1").getByText(`${household.name}, Enrollment in ${program.name}`).waitFor();
  });

  it("is asked about an exit in one question, with its day and reason", async () => {
    const { exitDate = "" } = await office.get<ProgramMembership>(`/${enrollment}`);
    await group("Status").waitFor();
    expect(await main().getByRole("group").count()).toBe(1);
    const left = new RegExp(`^Left the program on ${Number(exitDate?.slice(8))} .*: Moved$`);
    expect(await values("/status")).toEqual(["Enrolled", "Paused", expect.stringMatching(left)]);
    await device.picture("decide-enrollment");
    await choice("Keep yours", "Status").check();
    await on.press("Save these choices");
    await on.shown("Status can't move from “Left the program” to “Paused”");
    await device.picture("no-way-back");
    await choice("Take theirs", "Status").check();
    await on.press("Save these choices");
    await expect.poll(() => on.row("Reason for leaving").textContent()).toBe("Moved");
    await on.syncNow();
    expect(await on.count("parked")).toBe(0);
  });

  it("corrects a day of leaving that the server refuses, where the form for it is at hand", async () => {
    const { address = [] } = household;
    const number = { system: "urn:test:household", value: "LATE" };
    const late = {
      type: "Group",
      identifier: [number],
      name: "Late household",
      groupType: "household",
      address,
    };
    await office.post("/Group", late);
    const { identifier } = await office.post<ProgramMembership>("/ProgramMembership", {
      type: "ProgramMembership",
      program: { reference: `Program/${program.identifier[0]?.system}|${program.identifier[0]?.value}` },
      beneficiary: { reference: `Group/${number.system}|${number.value}` },
      status: "enrolled",
      enrollmentDate: dayAgo(40),
    });
    const reference = `ProgramMembership/${identifier[0]?.system}|${identifier[0]?.value}`;
    await on.syncNow();
    await device.goOffline();
    await on.open(`#/enrollment/${encodeURIComponent(reference)}`);
    await main().getByLabel("Left the program").check();
    await on.fill("Reason for leaving", "Moved");
    await on.press("Save the new status");
    await main().getByLabel("Yes, it ends").check();
    await on.press("Save the new status");
    await device.page().getByText("Saved on this device").waitFor();
    await main().getByRole("link", { name: "Correct the days" }).click();
    await fillDay("Left on", dayAgo(20));
    await on.press("Save");
    await device.page().getByText("Saved on this device").waitFor();
    // Nobody leaves before the day since when they are enrolled, which the office has corrected meanwhile.
    const [begun, left] = [10, 5].map(dayAgo);
    await office.put(`/${reference}`, { enrollmentDate: begun });
    await device.goOnline();
    await on.syncNow();
    await main().getByRole("link", { name: "Late household" }).click();
    await on.shown(/must not be before the enrollment date, \d+ [A-Z]/);
    expect(await main().getByText("must not be before the enrollment date").count()).toBe(1);
    await device.picture("day-refused");
    await main().getByRole("link", { name: "Edit the record" }).click();
    await main().getByRole("heading", { name: "Correct the days" }).waitFor();
    await on.shown(/Left on must not be before the enrollment date/);
    await device.picture("day-form");
    await fillDay("Left on", "2026-02-31");
    await on.press("Save");
    await on.shown("Left on: this must be a real date");
    await fillDay("Left on", left ?? "");
    await on.press("Save");
    await main().getByText("Why is it not sent?").waitFor();
    await on.syncNow();
    expect(await on.count("parked")).toBe(0);
    expect(await office.get<ProgramMembership>(`/${reference}`)).toMatchObject({
      ...{ status: "exited", enrollmentDate: begun, exitDate: left, exitReason: "Moved" },
    });
  });
});

/** The day so many days ago. */
function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
