import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Group, Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import type { Device } from "./stage/device.ts";
import { openScene, type Scene } from "./stage/scene.ts";
import type { Screens } from "./stage/screens.ts";
import type { Office } from "./stage/server.ts";

const [picture, another] = ["icon-192.png", "icon-512.png"].map((name) => {
  const path = fileURLToPath(new URL(`../../examples/field-app/public/${name}`, import.meta.url));
  return { name, mimeType: "image/png", buffer: readFileSync(path) };
}) as [Picture, Picture];
const noPicture = { name: "face.jpg", mimeType: "image/jpeg", buffer: Buffer.from("not a picture") };
type Picture = { name: string; mimeType: string; buffer: Buffer };

const unreadable = "This file is not a picture that can be read. Choose a JPEG, PNG or WebP file";
/** For what a server has to be told first. */
const patience = { timeout: 30_000 };

/** Photos in forms; each scene stands on the ones before it. */
describeInChromium("A photo", (executablePath) => {
  let scene: Scene | undefined;
  let office: Office;
  let device: Device;
  let on: Screens;
  let household = "";
  let person = "";

  const page = () => device.page();
  const main = () => page().locator("main");
  const one = (n = 1) => main().getByRole("group", { name: `Person ${n}`, exact: true });
  const file = () => main().getByLabel("Photo (optional)").first();
  const told = (text: string) => main().getByRole("alert").getByText(text).first().waitFor();
  const broughtBack = () => main().getByText(/^Unsaved input from .+ was brought back/);
  /** As on a slow tablet: no picture is read until `go` is called. */
  const slowly = async () => {
    await page().evaluate(() => {
      const { createImageBitmap: read } = window;
      const gate = new Promise<void>((resolve) => window.addEventListener("read-pictures", () => resolve()));
      window.createImageBitmap = (async (blob: Blob) => {
        await gate;
        window.createImageBitmap = read;
        return read(blob);
      }) as typeof read;
    });
    return () => page().evaluate(() => void window.dispatchEvent(new Event("read-pictures")));
  };
  const openEdit = async (reference: string) => {
    await on.open(`#/edit-person/${encodeURIComponent(reference)}`);
    await main().getByRole("heading", { name: "Edit person" }).waitFor();
  };
  const photoOf = async (reference: string) => (await office.get<Individual>(`/${reference}`)).photo;

  beforeAll(async () => {
    scene = await openScene({ name: "photo", executablePath, height: 900 });
    ({ office, device, on } = scene);
    const { data } = await office.get<{ data: Group[] }>("/Group?groupType=household&limit=50");
    const group = data.find(({ member = [] }) => member.length >= 2);
    household = `Group/${group?.identifier[0]?.system}|${group?.identifier[0]?.value}`;
    // Of a head there may be a photo already, which feeds do not bring.
    person = group?.member?.[1]?.entity.reference ?? "";
    const { country, state, city } = group?.address?.[0] ?? {};
    await scene.signIn(`area:${country}/${state}/${city}`);
    await page().setViewportSize({ width: 400, height: 900 });
  });

  afterAll(() => scene?.close());

  it("is waited for by a save that comes before it is small enough, with what was typed meanwhile", async () => {
    const go = await slowly();
    await openEdit(person);
    await file().setInputFiles(picture);
    await on.fill("Middle name (optional)", "Meanwhile");
    await on.shown("The photo is being made smaller…");
    await device.picture("preparing");
    await on.press("Save");
    await main().getByRole("button", { name: "Working…" }).waitFor();
    await go();
    await main().getByRole("link", { name: "Edit person" }).waitFor();
    await main()
      .getByRole("img", { name: /^Photo of/ })
      .waitFor();
    await expect.poll(() => photoOf(person), patience).toMatch(/^data:image\/jpeg/);
    expect(await office.get<Individual>(`/${person}`)).toMatchObject({ name: { middle: "Meanwhile" } });
    await openEdit(person);
    expect(await broughtBack().count()).toBe(0);
  });

  it("is kept in what was typed and not saved where the form was left before, but not where it was given up", async () => {
    const first = await slowly();
    await openEdit(person);
    await on.press("Remove photo");
    await file().setInputFiles(another);
    await on.leave();
    await first();
    await expect
      .poll(async () => {
        await on.leave();
        await openEdit(person);
        return main().getByRole("img").count();
      }, patience)
      .toBe(1);
    await broughtBack().waitFor();
    const second = await slowly();
    await file().setInputFiles(picture);
    await main().getByRole("link", { name: "Cancel" }).click();
    await main().getByRole("link", { name: "Edit person" }).waitFor();
    await second();
    await openEdit(person);
    expect(await broughtBack().count()).toBe(0);
  });

  it("is registered with each person of a household, and the finished form does not come back", async () => {
    await on.open("#/register");
    await on.fill("Household name", "Quick household");
    await main().getByRole("button", { name: "Add another person" }).click();
    const go = await slowly();
    for (const [n, given] of [
      [1, "Una"],
      [2, "Dua"],
    ] as const) {
      await one(n).getByLabel("Given name").fill(given);
      await one(n).getByLabel("Nothing").check();
      await one(n).getByLabel("Photo (optional)").setInputFiles(picture);
    }
    await one(2).getByLabel("Role in the household").selectOption("spouse");
    await on.press("Register household");
    await go();
    await main().getByRole("heading", { name: "Quick household" }).waitFor();
    for (const name of ["Una", "Dua"]) {
      await main().getByRole("link", { name }).first().click();
      await main()
        .getByRole("img", { name: `Photo of ${name}` })
        .waitFor();
      await page().goBack();
    }
    await on.open("#/register");
    await on.shown("Household name");
    expect(await broughtBack().count()).toBe(0);
  });

  it("is a fault like any other where the file is no picture, and nothing is registered", async () => {
    await on.fill("Household name", "Unread household");
    await one().getByLabel("Given name").fill("Uri");
    await one().getByLabel("Nothing").check();
    await file().setInputFiles(noPicture);
    await main().getByText(unreadable).waitFor();
    await on.press("Register household");
    await told(`Person 1 (Uri): ${unreadable}`);
    await device.picture("no-picture");
    await on.press("Go on without this file");
    expect(await one().getByText(unreadable).count()).toBe(0);
    await on.press("Register household");
    await main().getByRole("heading", { name: "Unread household" }).waitFor();
  });

  it("stays as it was where another file could not be read", async () => {
    const before = await photoOf(person);
    await openEdit(person);
    await on.fill("Middle name (optional)", "Stays");
    await file().setInputFiles(noPicture);
    await main().getByText(unreadable).waitFor();
    await on.press("Save");
    await told(unreadable);
    await device.picture("no-picture-edit");
    expect(await office.get<Individual>(`/${person}`)).toMatchObject({ name: { middle: "Meanwhile" } });
    await on.press("Go on without this file");
    await on.press("Save");
    await main()
      .getByRole("img", { name: /^Photo of/ })
      .waitFor();
    await expect
      .poll(() => office.get<Individual>(`/${person}`), patience)
      .toMatchObject({ name: { middle: "Stays" }, photo: before });
  });

  it("that is no picture is a fault of a new member only while there is one", async () => {
    await on.open(`#/add-member/${encodeURIComponent(household)}`);
    await main().getByLabel("A new person").check();
    await main().getByLabel("Given name").fill("Nova");
    await main().getByLabel("Nothing").check();
    await main().getByLabel("Role in the household").selectOption("child");
    await file().setInputFiles(noPicture);
    await main().getByText(unreadable).waitFor();
    await on.press("Add to household");
    await told(unreadable);
    await main().getByLabel("Someone already registered").check();
    await on.press("Add to household");
    await told("Choose a person, or register a new one");
    expect(await main().getByText(unreadable).count()).toBe(0);
  });
});
