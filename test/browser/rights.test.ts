import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgramMembership } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/rights", import.meta.url));
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };
const secret = "long-enough-for-a-test";
const records = ["registry:read", "registry:write"];
const programs = ["program:read", "program:write"];

/** Sign-ins that may do some of the field's work, or none; each scene stands on the ones before it. */
describeInChromium("A sign-in", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let device: Device;
  let on: Screens;
  let enrolled = "";

  const main = () => device.page().locator("main");
  const offers = async (name: string) => (await device.page().getByRole("link", { name }).count()) > 0;

  const serve = async (scopesOfMaria: readonly string[], isAllowed = true) => {
    const clients = Object.entries({
      maria: scopesOfMaria,
      reader: ["registry:read", "program:read"],
      people: records,
      payer: ["payment:read"],
    }).map(([id, scopes]) => ({ id, secret, scopes, legalBasis: "public_task", active: isAllowed }));
    const file = join(folder, "clients.json");
    await writeFile(file, JSON.stringify(clients));
    return startDemonstration(join(folder, "registry.db"), ["--clients", file]);
  };
  const signInAs = async (id: string, { isUnsent = false } = {}) => {
    await on.open("#/sync");
    await on.press("Sign out");
    if (isUnsent) await on.press("Sign out and keep the changes here");
    await on.shown("User name");
    await on.signIn(id, secret);
  };

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-rights-"));
    server = await serve([...records, ...programs]);
    const office = await openOffice(server.url, supervisor);
    const { data } = await office.get<{ data: ProgramMembership[] }>("/ProgramMembership?limit=100");
    enrolled = data.find(({ beneficiary }) => beneficiary.reference.startsWith("Group/"))?.beneficiary
      .reference as string;
    const screen = { width: 400, height: 700 };
    const port = server.port;
    device = await openDevice({ name: "rights", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
    await on.signIn("maria", secret);
    await on.firstSyncIsComplete();
  });

  afterAll(async () => {
    await device?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("that may do all is offered all", async () => {
    await on.openHousehold(enrolled);
    await on.shown("Programs");
    await expect.poll(() => offers("Edit household")).toBe(true);
    for (const name of ["Register", "Add a member", "Change"]) expect(await offers(name)).toBe(true);
    expect(await main().getByText("This sign-in may not").count()).toBe(0);
    const name = (await main().locator("h1 bdi").last().textContent()) ?? "";
    await on.open(`#/enroll/${encodeURIComponent(enrolled)}`);
    await main().locator("h1", { hasText: "Enroll in a program" }).getByText(name).waitFor();
    await device.picture("enroll");
  });

  it("leaves the server’s own pages to the server, which explains its problems there", async () => {
    await on.isAvailableOffline();
    for (const [path, text] of [
      ["errors", "not-found"],
      ["errors/not-found", "not-found"],
      [".well-known/oauth-authorization-server", "token_endpoint"],
      ["errors/", "not-found"],
      ["foo/bar", "There is no page at this address."],
    ] as const) {
      await device.page().goto(`${device.address}${path}`);
      await expect.poll(() => device.page().locator("body").textContent()).toContain(text);
    }
    await device.picture("no-page");
    await device.page().goto(device.address);
    await on.shown("Find a household or person");
  });

  it("that may read is told so on the first screen, and offered no change", async () => {
    await signInAs("reader");
    await on.firstSyncIsComplete();
    await on.open("#/");
    await on.shown("This sign-in may read, not change.");
    expect(await offers("Register")).toBe(false);
    await device.picture("read-only");
    await on.find("Nobody Such");
    await on.shown("A sign-in that needs people’s consent finds only those who gave it.");
    await device.picture("nobody-found");
    await on.openHousehold(enrolled);
    await on.shown("This sign-in may not enroll anybody");
    for (const name of ["Edit household", "Add a member", "Enroll in a program", "Change"]) {
      expect(await offers(name)).toBe(false);
    }
    await device.picture("read-only-household");
  });

  it("is told before a form is filled in that nothing of it can be sent", async () => {
    await on.open("#/register");
    await device.page().getByText("This sign-in may not make this change.").waitFor();
    await device.picture("read-only-register");
    await on.fill("Household name", "Vain household");
    const card = device.page().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill("Vain");
    await card.getByLabel("Nothing").check();
    await on.press("Register household");
    await device.page().getByText("It can’t be sent: this sign-in may only read it.").waitFor();
    await device.picture("read-only-registered");
    const parts = device.page().url().split("/");
    await on.open(`#/edit-household/${parts.at(-1)}`);
    await device.page().getByText("This sign-in may not make this change.").waitFor();
  });

  it("that may not see programs is not told that a household is in none", async () => {
    await signInAs("people", { isUnsent: true });
    await on.firstSyncIsComplete();
    const waits = /^\d records? with unsent changes waits? on this device/;
    await on.shown(waits);
    await device.picture("sealed");
    await device.page().reload();
    await on.shown(waits);
    await on.press("Sign out");
    await main().getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await device.page().reload();
    await on.shown(waits);
    await device.picture("sealed-sign-in");
    // Once, what was typed went when the address changed, which it does right after a sign-out.
    await on.fill("User name", "people");
    await device.page().evaluate(() => {
      window.location.hash = "#/register";
    });
    // What hears of the address has run, and what it draws anew is drawn.
    await device
      .page()
      .evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await main().getByLabel("User name").inputValue()).toBe("people");
    await on.signIn("people", secret);
    await on.openHousehold(enrolled);
    await on.shown("This sign-in may not see programs");
    expect(await main().getByText("Not enrolled in any program.").count()).toBe(0);
    expect(await main().getByText("There is no other active program").count()).toBe(0);
    await device.picture("without-programs");
  });

  it("that may see nobody is told why there is no record", async () => {
    await signInAs("payer");
    await on.shown("This sign-in may not see households and people");
    await device.picture("without-records");
  });

  it("whose right is taken away keeps what it made, and says why it waits", async () => {
    await signInAs("maria");
    await on.firstSyncIsComplete();
    await device.goOffline();
    await on.open("#/register");
    await on.fill("Household name", "Late household");
    const card = device.page().getByRole("group", { name: "Person 1", exact: true });
    await card.getByLabel("Role in the household").selectOption({ label: "Head" });
    await card.getByLabel("Given name").fill("Late");
    await card.getByLabel("Nothing").check();
    await on.press("Register household");
    await on.shown("Why is it not sent?");
    const household = device.page().url().split("#")[1];
    await server.stop();
    server = await serve(["registry:read"]);
    device.line.leadTo(server.port);
    await device.goOnline();
    await on.open("#/sign-in");
    await on.signIn("maria", secret);
    await on.open("#/sync");
    await on.shown("This sign-in may not send changes.");
    await device.picture("taken-away");
    await on.find("Late household");
    await main().getByRole("link", { name: "Late household" }).click();
    expect(device.page().url().split("#")[1]).toBe(household);
    await device.page().getByText("Why is it not sent?").click();
    await on.row("Will be sent").getByText("When this sign-in may make this change").waitFor();
    await device.picture("why");
  });

  it("that is not allowed any more is told so in words for people", async () => {
    await server.stop();
    server = await serve([], false);
    device.line.leadTo(server.port);
    await on.open("#/sync");
    await on.press("Sync now");
    await on.row("Right now").getByText("Sign in again to send").waitFor();
    await on.row("Last problem").getByText("This sign-in was refused by the server.").waitFor();
    expect(await main().getByText("access token").count()).toBe(0);
    await device.picture("refused");
  });
});
