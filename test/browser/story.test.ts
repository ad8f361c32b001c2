import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Group, Individual, ProgramMembership } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { type Office, openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/story", import.meta.url));
const enumerator = { id: "enumerator", secret: "walk-house-to-house" };
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };

type List<T> = { data: T[] };

/** The main story, scene by scene; each scene stands on the ones before it. */
describeInChromium("Two tablets and the server", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let office: Office;
  let [a, b]: Device[] = [];
  let onA: Screens;
  let onB: Screens;
  let household: Group;
  let person: Individual;
  let reference = "";
  let householdReference = "";
  let left = "";

  const device = (name: string, screen: { width: number; height: number }) =>
    openDevice({ name, executablePath, folder, server: server.port, pictures, screen });
  const tabletA = () => a as Device;
  const tabletB = () => b as Device;

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-story-"));
    server = await startDemonstration(join(folder, "registry.db"));
    office = await openOffice(server.url, supervisor);
    a = await device("a", { width: 360, height: 640 });
    b = await device("b", { width: 768, height: 1024 });
    onA = screensOf(tabletA());
    onB = screensOf(tabletB());
    const groups = await office.get<List<Group>>("/Group?groupType=household&limit=50");
    const found = groups.data.find(
      ({ member = [] }) => member.filter(({ inactive }) => !inactive).length >= 4,
    );
    if (!found?.member?.[1] || !found.member[2])
      throw new Error("The demonstration has no household of four.");
    household = found;
    householdReference = `Group/${found.identifier[0]?.system}|${found.identifier[0]?.value}`;
    reference = found.member[1].entity.reference;
    left = found.member[2].entity.reference;
    person = await office.get<Individual>(`/${reference}`);
  });

  afterAll(async () => {
    await Promise.all([a?.close(), b?.close()]);
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("signs both in and brings every record to them", async () => {
    await tabletA().picture("sign-in");
    await onA.signIn(enumerator.id, enumerator.secret);
    await onB.signIn(supervisor.id, supervisor.secret);
    await onA.firstSyncIsComplete();
    await onB.firstSyncIsComplete();
    await onA.isAvailableOffline();
    await onB.isAvailableOffline();
    await tabletA().picture("first-sync");
    await onA.find(household.name.toUpperCase().split(" ").toReversed().join(", "));
    await onA.shown(household.name);
    await tabletA().picture("found");
  });

  it("shows the household after a reload without any network", async () => {
    await tabletA().goOffline();
    await tabletB().goOffline();
    await tabletA().page().reload();
    await tabletB().page().reload();
    for (const screens of [onA, onB]) {
      await screens.openHousehold(householdReference);
      await screens.shown("Members");
    }
    await tabletA().page().getByText("You are offline").waitFor();
    await tabletA().picture("offline-household");
  });

  it("keeps what A changes and registers offline", async () => {
    await onA.editPerson(reference, () => onA.fill("Phone number (optional)", "+63 917 555 0101"));
    expect(await onA.row("Phone number").textContent()).toContain("+639175550101".slice(-4));
    await tabletA().page().getByText("Why is it not sent?").click();
    await onA.row("Will be sent").getByText("When there is a network").waitFor();
    expect(await onA.row("Changed on this device").textContent()).toContain("Once");
    await tabletA().picture("why");
    await onA.open("#/register");
    await onA.fill("Household name", "Nightingale household");
    const family = [
      ["Head", "Amihan", "Nightingale"],
      ["Spouse", "José", "Nightingale"],
      ["Child", "Liwayway", "Nightingale"],
      ["Child", "Ísak", "Nightingale"],
    ] as const;
    const page = tabletA().page();
    for (const [at, [role, given, surname]] of family.entries()) {
      if (
        at > 0 &&
        (await page.getByRole("group", { name: `Person ${at + 1}`, exact: true }).count()) === 0
      ) {
        await onA.press("Add another person");
      }
      const card = page.getByRole("group", { name: `Person ${at + 1}`, exact: true });
      await card.getByLabel("Role in the household").selectOption({ label: role });
      await card.getByLabel("Given name").fill(given);
      await card.getByLabel("Family name").fill(surname);
      await card.getByLabel("An estimate").check();
      await card.getByLabel("Age in years, or year of birth").fill(String(40 - at * 9));
    }
    await page.getByRole("group", { name: "Enroll the household in" }).getByRole("checkbox").first().check();
    await tabletA().picture("register");
    await onA.press("Register household");
    await onA.shown("Nightingale household");
    await tabletA().picture("registered");
  });

  it("keeps what B changes of the same person and household offline", async () => {
    await onB.editPerson(reference, () => onB.fill("Family name", "Buenaventura"));
    await onB.open(`#/member/${encodeURIComponent(householdReference)}/${encodeURIComponent(left)}`);
    await tabletB().page().getByLabel("No, has left").check();
    await onB.press("Save");
    await onB.shown("Left the household");
    await tabletB().picture("household-edited");
  });

  it("has A's edits after its browser was killed", async () => {
    await tabletA().kill();
    await tabletA().start();
    onA = screensOf(tabletA());
    await onA.openPerson(reference);
    expect(await onA.row("Phone number").textContent()).toContain("0101");
    await onA.find("Nightingale");
    await onA.shown("Nightingale household");
    await onA.open("#/sync");
    await expect.poll(async () => (await onA.count("pending")) + (await onA.count("sending"))).toBe(7);
    await tabletA().picture("after-the-kill");
    const untouched = await office.get<List<Group>>("/Group?name=nightingale");
    expect(untouched.data).toEqual([]);
  });

  it("brings both tablets' changes together when they come online", async () => {
    await tabletA().goOnline();
    await onA.syncNow();
    await tabletB().goOnline();
    await onB.syncNow();
    await onA.syncNow();
    const merged = await office.get<Individual>(`/${reference}`);
    expect(merged.name).toMatchObject({ ...person.name, family: "Buenaventura", text: expect.any(String) });
    expect(JSON.stringify(merged.telecom)).toContain("0101");
    const changed = await office.get<Group>(`/${householdReference}`);
    expect(changed.member?.find(({ entity }) => entity.reference === left)?.inactive).toBe(true);
    expect(changed.quantity).toBe((household.quantity ?? 0) - 1);
  });

  it("has registered the household of four with its enrollment, once", async () => {
    const groups = await office.get<List<Group>>("/Group?name=nightingale");
    expect(groups.data.map(({ name, quantity }) => [name, quantity])).toEqual([["Nightingale household", 4]]);
    const people = await office.get<List<Individual>>("/Individual?name=nightingale");
    expect(people.data.map(({ name }) => name.given).sort()).toEqual(["Amihan", "José", "Liwayway", "Ísak"]);
    const [identifier] = groups.data[0]?.identifier ?? [];
    const beneficiary = encodeURIComponent(`Group/${identifier?.system}|${identifier?.value}`);
    const enrolled = await office.get<List<ProgramMembership>>(
      `/ProgramMembership?beneficiary=${beneficiary}`,
    );
    expect(enrolled.data.map(({ status }) => status)).toEqual(["enrolled"]);
  });

  it("shows both changes on both screens", async () => {
    for (const [tablet, screens] of [
      [tabletA(), onA],
      [tabletB(), onB],
    ] as const) {
      await screens.openPerson(reference);
      await expect.poll(() => screens.row("Family name").textContent()).toBe("Buenaventura");
      await expect.poll(() => screens.row("Phone number").textContent()).toContain("0101");
      await screens.openHousehold(householdReference);
      await screens.shown("Left the household");
      await screens.find("Nightingale");
      await screens.shown("Nightingale household");
      await tablet.picture("converged");
    }
  });

  it("parks a true conflict, shows it, and follows the person's choice", async () => {
    await tabletA().goOffline();
    await tabletB().goOffline();
    await onA.editPerson(reference, () => onA.fill("Family name", "Bautista"));
    await onB.editPerson(reference, () => onB.fill("Family name", "Villanueva"));
    await tabletA().goOnline();
    await onA.syncNow();
    await tabletB().goOnline();
    await onB.syncNow();
    await expect.poll(() => onB.count("parked")).toBe(1);
    expect((await office.get<Individual>(`/${reference}`)).name.family).toBe("Bautista");
    await onB.openPerson(reference);
    await tabletB().page().getByText("Why is it not sent?").click();
    await onB.row("On the server").getByText("Somebody else changed the same thing as you").waitFor();
    const wrote = await onB.row("What each of you wrote").first().textContent();
    expect(wrote).toMatch(/Family nameYoursVillanuevaTheirsBautista/);
    expect(await onB.row("Will be sent").textContent()).toContain("press “Decide now”");
    expect(await onB.row("Attempts").textContent()).not.toContain("If-Match");
    await tabletB().picture("why-conflict");
    await onB.open(`#/decide/${encodeURIComponent(reference)}`);
    for (const value of ["Buenaventura", "Villanueva", "Bautista"]) await onB.shown(value);
    await onB.shown("Of phone numbers and other lists, what each of you wrote stays.");
    await tabletB().picture("conflict");
    await tabletB().page().getByLabel("Keep yours").check();
    await onB.press("Save these choices");
    await expect.poll(() => onB.row("Family name").textContent()).toBe("Villanueva");
    await onB.syncNow();
    expect(await onB.count("parked")).toBe(0);
  });

  it("converges on the choice everywhere", async () => {
    await onA.syncNow();
    expect((await office.get<Individual>(`/${reference}`)).name.family).toBe("Villanueva");
    for (const [tablet, screens] of [
      [tabletA(), onA],
      [tabletB(), onB],
    ] as const) {
      await screens.openPerson(reference);
      await expect.poll(() => screens.row("Family name").textContent()).toBe("Villanueva");
      await tablet.picture("decided");
    }
  });

  it("sends nothing in a pause, and goes on after it", async () => {
    await onB.open("#/sync");
    await onB.press("Pause");
    await onB.shown("Nothing is sent or received until you go on");
    await onB.editPerson(reference, () => onB.fill("Given name", "Marisol"));
    await onB.open("#/sync");
    await expect.poll(() => onB.count("pending")).toBe(1);
    await tabletB().picture("paused");
    await onB.press("Go on");
    await onB.syncNow();
    expect((await office.get<Individual>(`/${reference}`)).name.given).toBe("Marisol");
  });

  it("carries what A can't send over to another tablet in a file", async () => {
    const passphrase = "walks in the rain";
    await tabletA().goOffline();
    await onA.editPerson(reference, () => onA.fill("Phone number (optional)", "+63 917 555 0199"));
    await onA.open("#/sync");
    const page = tabletA().page();
    await page.getByText("Move your changes to another tablet").click();
    await onA.press("Save unsent changes to a file");
    await onA.shown("take 10 characters or more");
    await onA.fill("Passphrase of the file", passphrase);
    const saving = page.waitForEvent("download");
    await onA.press("Save unsent changes to a file");
    const file = join(folder, "carried.json");
    await (await saving).saveAs(file);
    await onA.shown("1 record with changes is in the file.");
    await tabletA().picture("carried");
    expect(await readFile(file, "utf8")).not.toContain("555 0199");

    await onB.open("#/sync");
    await onB.press("Sign out");
    await onB.shown("User name");
    await onB.signIn(enumerator.id, enumerator.secret);
    await onB.firstSyncIsComplete();
    await tabletB().page().getByText("Move your changes to another tablet").click();
    await onB.fill("Passphrase of the file", "wrong in the rain");
    await tabletB().page().getByLabel("File with unsent changes").setInputFiles(file);
    await onB.press("Open the file");
    await onB.shown("The passphrase is not the one of this file");
    await onB.fill("Passphrase of the file", passphrase);
    await onB.press("Open the file");
    await onB.shown("1 record with changes was taken over.");
    await tabletB().picture("taken-over");
    await onB.syncNow();
    expect(JSON.stringify((await office.get<Individual>(`/${reference}`)).telecom)).toContain("0199");
    await tabletA().goOnline();
    await onA.syncNow();
    expect(await onA.count("parked")).toBe(0);
  });
});
