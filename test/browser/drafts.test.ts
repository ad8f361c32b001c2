import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Group, Individual } from "@fieldroll/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { type Office, openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/drafts", import.meta.url));
const enumerator = { id: "enumerator", secret: "walk-house-to-house" };
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };
const broughtBack = /^Unsaved input from .+ was brought back/;

/** What was typed and not saved, scene by scene; each scene stands on the ones before it. */
describeInChromium("What is typed into a form and not saved", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household = "";
  let person = "";

  const page = () => device.page();
  const main = () => page().locator("main");
  const notice = () => main().getByRole("status").filter({ hasText: broughtBack });
  const card = (n: number) => main().getByRole("group", { name: `Person ${n}`, exact: true });

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-drafts-"));
    server = await startDemonstration(join(folder, "registry.db"));
    office = await openOffice(server.url, supervisor);
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=50");
    const group = data.find(({ member = [] }) => member.length >= 2);
    household = `Group/${group?.identifier[0]?.system}|${group?.identifier[0]?.value}`;
    person = group?.member?.[0]?.entity.reference ?? "";
    const { country, state, city } = group?.address?.[0] ?? {};
    const screen = { width: 360, height: 640 };
    device = await openDevice({
      name: "drafts",
      executablePath,
      folder,
      server: server.port,
      pictures,
      screen,
    });
    on = screensOf(device);
    await page().goto(`${device.address}?feed=${encodeURIComponent(`area:${country}/${state}/${city}`)}`);
    await on.signIn(enumerator.id, enumerator.secret);
    await on.firstSyncIsComplete();
    await on.isAvailableOffline();
  });

  afterAll(async () => {
    await device?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The forms of which something is kept, with the people they belong to. */
  const keptForms = () =>
    page().evaluate(
      () =>
        new Promise<string[]>((resolve, reject) => {
          const opening = indexedDB.open("fieldroll-drafts");
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const keys = opening.result.transaction("drafts").objectStore("drafts").getAllKeys();
            keys.onsuccess = () => {
              resolve(keys.result.map((key) => (key as string[]).slice(1, 3).join(" ")));
              opening.result.close();
            };
          };
        }),
    );
  /** What of a form is kept, as text: once it can be read, it outlives the browser. */
  const keptOf = (form: string) =>
    page().evaluate(
      (name) =>
        new Promise<string>((resolve, reject) => {
          const opening = indexedDB.open("fieldroll-drafts");
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const all = opening.result.transaction("drafts").objectStore("drafts").openCursor();
            let found = "";
            all.onsuccess = () => {
              const cursor = all.result;
              if (!cursor) {
                resolve(found);
                opening.result.close();
                return;
              }
              if ((cursor.key as string[])[2] === name) found = JSON.stringify(cursor.value);
              cursor.continue();
            };
          };
        }),
      form,
    );
  const killAndStart = async () => {
    await device.kill();
    await device.start();
    on = screensOf(device);
  };
  const openEdit = async () => {
    await on.open(`#/edit-person/${encodeURIComponent(person)}`);
    await main().getByRole("button", { name: "Save", exact: true }).waitFor();
  };
  const phone = () => main().getByLabel("Phone number (optional)", { exact: true });

  it("is back in a form that was left, and not shown as if it were saved", async () => {
    await openEdit();
    expect(await notice().count()).toBe(0);
    await phone().fill("+63 917 555 0144");
    await on.leave();
    await openEdit();
    await notice().waitFor();
    expect(await phone().inputValue()).toBe("+63 917 555 0144");
    await on.openPerson(person);
    expect(await on.row("Phone number").textContent()).not.toContain("0144");
  });

  it("survives a reload and a killed browser", async () => {
    await openEdit();
    await page().reload();
    await notice().waitFor();
    await phone().fill("+63 917 555 0155");
    await expect.poll(() => keptOf(`edit ${person}`)).toContain("0155");
    expect(await keptForms()).toEqual([`enumerator edit ${person}`]);
    await page().getByRole("link", { name: "Back" }).click();
    await killAndStart();
    await openEdit();
    await notice().waitFor();
    expect(await phone().inputValue()).toBe("+63 917 555 0155");
    await device.picture("person-back");
  });

  it("is saved on top of the record as it was seen, so that what others changed meanwhile stays", async () => {
    await page().getByRole("link", { name: "Back" }).click();
    await office.patch(`/${person}`, { name: { family: "Elsewhere" } });
    await on.syncNow();
    await openEdit();
    await notice().waitFor();
    await on.press("Save");
    await expect.poll(() => on.row("Family name").textContent()).toBe("Elsewhere");
    expect(await on.row("Phone number").textContent()).toContain("0155");
    await expect.poll(keptForms).toEqual([]);
    await openEdit();
    expect(await notice().count()).toBe(0);
    await on.syncNow();
    expect((await office.get<Individual>(`/${person}`)).name.family).toBe("Elsewhere");
  });

  it("tells of a registration whom each fault is about, and leads to the field", async () => {
    await on.open("#/register");
    await on.press("Add another person");
    await card(2).getByLabel("Given name").fill("Liwayway");
    await on.press("Register household");
    const faults = main().getByRole("alert");
    await faults.waitFor();
    expect(await faults.getByRole("link").allTextContents()).toEqual([
      "Enter the household’s name",
      "Person 1: Enter a given name or a family name",
      "Person 1: Enter the date of birth, or choose “An estimate” or “Nothing”",
      "Person 2 (Liwayway): Enter the date of birth, or choose “An estimate” or “Nothing”",
      "Person 2 (Liwayway): Choose the role in the household",
    ]);
    await device.picture("faults");
    await faults.getByRole("link", { name: /^Person 2 .*role/ }).click();
    const role = card(2).getByLabel("Role in the household");
    await expect.poll(() => role.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it("is back in a registration after a kill, and gone for good when it is discarded", async () => {
    await expect.poll(keptForms).toEqual(["enumerator register household"]);
    await card(1).getByLabel("Family name").fill("Nightingale");
    await expect.poll(() => keptOf("register household")).toContain("Nightingale");
    await on.leave();
    await on.open("#/register");
    await notice().waitFor();
    await killAndStart();
    await on.open("#/register");
    await notice().waitFor();
    expect(await card(1).getByLabel("Family name").inputValue()).toBe("Nightingale");
    expect(await card(2).getByLabel("Given name").inputValue()).toBe("Liwayway");
    await device.picture("registration-back");
    await on.press("Discard this input");
    await notice().waitFor({ state: "detached" });
    expect(await card(1).getByLabel("Family name").inputValue()).toBe("");
    expect(await card(2).count()).toBe(0);
    await expect.poll(keptForms).toEqual([]);
    await page().reload();
    await card(1).waitFor();
    expect(await notice().count()).toBe(0);
  });

  it("is each tab’s own, and taken over by another one once its tab is closed", async () => {
    const second = await page().context().newPage();
    const address = `${device.address}#/register`;
    const nameIn = (tab: Page) => tab.locator("main").getByLabel("Household name", { exact: true });
    await on.open("#/register");
    await nameIn(page()).fill("Household of the first tab");
    await second.goto(address);
    expect(await nameIn(second).inputValue()).toBe("");
    await nameIn(second).fill("Household of the second tab");
    await expect.poll(async () => (await keptForms()).length).toBe(2);
    await page().reload();
    await notice().waitFor();
    expect(await nameIn(page()).inputValue()).toBe("Household of the first tab");
    await on.press("Discard this input");
    await expect.poll(() => keptOf("register household")).toContain("second tab");
    await second.reload();
    await expect.poll(() => nameIn(second).inputValue()).toBe("Household of the second tab");
    await second.close();
    await on.leave();
    await on.open("#/register");
    await notice().waitFor();
    expect(await nameIn(page()).inputValue()).toBe("Household of the second tab");
    await on.press("Discard this input");
    await expect.poll(keptForms).toEqual([]);
  });

  it.each([
    ["a household", () => `#/edit-household/${encodeURIComponent(household)}`, "Household name"],
    [
      "a new member",
      () => `#/add-member/${encodeURIComponent(household)}`,
      "Find the person by name or identifier",
    ],
  ])("is kept of %s, and given up by Cancel", async (_name, hash, label) => {
    const field = () => main().getByLabel(label, { exact: true });
    await on.open(hash());
    await field().fill("Half a name");
    await on.leave();
    await on.open(hash());
    await notice().waitFor();
    expect(await field().inputValue()).toBe("Half a name");
    await main().getByRole("button", { name: "Discard this input" }).waitFor();
    await main().getByRole("link", { name: "Cancel" }).click();
    await expect.poll(keptForms).toEqual([]);
    await on.open(hash());
    await field().waitFor();
    expect(await notice().count()).toBe(0);
  });

  it("is kept of a member's place in the household", async () => {
    const hash = `#/member/${encodeURIComponent(household)}/${encodeURIComponent(person)}`;
    await on.open(hash);
    await main().getByLabel("No, has left").check();
    await on.leave();
    await on.open(hash);
    await notice().waitFor();
    expect(await main().getByLabel("No, has left").isChecked()).toBe(true);
    await on.press("Discard this input");
    await expect.poll(() => main().getByLabel("Yes, lives here").isChecked()).toBe(true);
  });

  it("is gone once another person signs in without a sign-out between", async () => {
    await openEdit();
    await phone().fill("+63 917 555 0166");
    await expect.poll(keptForms).toEqual([`enumerator edit ${person}`]);
    await on.open("#/sign-in");
    await on.signIn(supervisor.id, supervisor.secret);
    await on.firstSyncIsComplete();
    await expect.poll(keptForms).toEqual([]);
    await openEdit();
    expect(await notice().count()).toBe(0);
    expect(await phone().inputValue()).not.toContain("0166");
  });

  it("is gone after a sign-out, also for the person who typed it", async () => {
    await phone().fill("+63 917 555 0177");
    await expect.poll(keptForms).toEqual([`supervisor edit ${person}`]);
    await on.open("#/sync");
    await on.press("Sign out");
    await on.shown("User name");
    await expect.poll(keptForms).toEqual([]);
    await on.signIn(supervisor.id, supervisor.secret);
    await on.firstSyncIsComplete();
    await openEdit();
    expect(await notice().count()).toBe(0);
    expect(await phone().inputValue()).not.toContain("0177");
  });
});
