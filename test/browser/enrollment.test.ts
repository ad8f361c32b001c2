import type { Group, Program, ProgramMembership } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

/** An enrollment whose days were mistyped, and that ends; each scene stands on the ones before it. */
describeInChromium("An enrollment that is on the server", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let program: Program;
  let enrollment = "";

  const main = () => device.page().locator("main");
  const saved = () => device.page().getByText("Saved on this device", { exact: true }).waitFor();
  const ends = () => main().getByRole("checkbox", { name: "Yes, it ends" });
  const open = async () => {
    await on.open(`#/enrollment/${encodeURIComponent(enrollment)}`);
    await main().locator("h1").getByText(program.name).waitFor();
  };
  const correct = async () => {
    await open();
    await main().getByRole("link", { name: "Correct the days" }).click();
    await main().getByRole("heading", { name: "Correct the days" }).waitFor();
  };
  const fillDay = async (label: string, day: string) => {
    const parts = day.split("-");
    const group = main().getByRole("group", { name: label, exact: true });
    for (const [at, part] of ["Year", "Month", "Day"].entries())
      await group.getByLabel(part, { exact: true }).fill(parts[at] ?? "");
  };
  const there = () => office.get<ProgramMembership>(`/${enrollment}`);

  beforeAll(async () => {
    scene = await openScene({ name: "enrollment", executablePath, height: 1280 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: ProgramMembership[] }>(
      "/ProgramMembership?status=enrolled&limit=100",
    );
    const ofGroup = data.find(({ beneficiary }) => beneficiary.reference.startsWith("Group/"));
    enrollment = `ProgramMembership/${ofGroup?.identifier[0]?.system}|${ofGroup?.identifier[0]?.value}`;
    program = await office.get<Program>(`/${ofGroup?.program.reference}`);
    const { address } = await office.get<Group>(`/${ofGroup?.beneficiary.reference}`);
    const { country, state, city } = address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
  });

  afterAll(() => scene?.close());

  it("has days that can be corrected, but to none before the program began", async () => {
    await correct();
    await fillDay("Enrolled on", "1800-1-1");
    await on.press("Save");
    const { start = "" } = program.period ?? {};
    await on.shown(`Enrolled on: this must not be before ${inWords(start)}, the first day of the program`);
    await device.picture("before-the-program");
    const [year, month, day] = start.split("-").map(Number);
    await fillDay("Enrolled on", inArabicDigits(`${year}-${month}-${day}`));
    await on.press("Save");
    await saved();
    await on.syncNow();
    expect(await there()).toMatchObject({ status: "enrolled", enrollmentDate: start });
    expect(await on.count("parked")).toBe(0);
  });

  it("does not end by one press", async () => {
    await open();
    await main().getByLabel("Left the program").check();
    await on.fill("Reason for leaving", "x".repeat(300));
    await on.press("Save the new status");
    await on.shown("Reason for leaving has 300 characters, and may have at most 255.");
    await on.fill("Reason for leaving", "Moved");
    await on.press("Save the new status");
    await on.shown("This can’t be taken back here: to enroll again, your supervisor has to reopen it");
    await device.picture("asked");
    await on.press("Save the new status");
    expect(await ends().isChecked()).toBe(false);
    await main().getByLabel("Paused").check();
    await ends().waitFor({ state: "detached" });
    expect((await there()).status).toBe("enrolled");
  });

  it("ends once the person has confirmed it", async () => {
    await main().getByLabel("Left the program").check();
    await ends().check();
    await on.press("Save the new status");
    await saved();
    await on.syncNow();
    expect(await there()).toMatchObject({ status: "exited", exitReason: "Moved" });
  });

  it("has a day of leaving that can be corrected after that, and none to come", async () => {
    await correct();
    await fillDay("Left on", dayIn(2));
    await on.press("Save");
    await on.shown("Left on: this must not be in the future");
    await device.picture("to-come");
    await fillDay("Left on", dayIn(-3));
    await on.press("Save");
    await saved();
    await on.syncNow();
    expect(await there()).toMatchObject({ status: "exited", exitDate: dayIn(-3), exitReason: "Moved" });
    expect(await on.count("parked")).toBe(0);
  });
});

/** The day in so many days. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

function inWords(day: string): string {
  return new Date(day).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
}

function inArabicDigits(text: string): string {
  return text.replaceAll(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩"[Number(digit)] ?? "");
}
