import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Individual } from "@fieldroll/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { openGate } from "./stage/gate.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { type Office, openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/refused", import.meta.url));
const enumerator = { id: "enumerator", secret: "walk-house-to-house" };
const supervisor = { id: "supervisor", secret: "look-twice-sign-once" };
const validation = { type: "urn:service:error:validation", title: "Validation failed", status: 422 };
const wrongSettings = { ...validation, detail: "The list of codes could not be loaded." };
const wrongDay = {
  ...validation,
  detail: "/birthDate: must not be after today",
  errors: [{ field: "/birthDate", code: "future_date", message: "must not be after today" }],
};

/** Edits that a server refuses while its settings are wrong; each scene stands on the ones before it. */
describeInChromium("What a server refuses by mistake", (executablePath) => {
  let folder = "";
  let server: ServerProcess;
  let gate: Server;
  let problem: object | null = null;
  let office: Office;
  let device: Device;
  let on: Screens;
  let people: readonly string[] = [];

  beforeAll(async () => {
    await rm(pictures, { recursive: true, force: true });
    folder = await mkdtemp(join(tmpdir(), "fieldroll-refused-"));
    server = await startDemonstration(join(folder, "registry.db"));
    office = await openOffice(server.url, supervisor);
    const { data } = await office.get<{ data: Individual[] }>("/Individual?limit=2");
    people = data.map(({ identifier: [first] }) => `Individual/${first?.system}|${first?.value}`);
    // Reads get through, and writes are refused while its settings are wrong.
    gate = await openGate(server.port, (asked, answer) => {
      const { url = "/", method = "GET" } = asked;
      const refusal = method !== "GET" && !url.includes("/oauth2/") ? problem : null;
      if (refusal)
        asked.resume().on("end", () => {
          answer.writeHead(422, { "content-type": "application/problem+json" }).end(JSON.stringify(refusal));
        });
      return refusal !== null;
    });
    const { port } = gate.address() as AddressInfo;
    const screen = { width: 360, height: 640 };
    device = await openDevice({ name: "refused", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
    await on.signIn(enumerator.id, enumerator.secret);
    await on.firstSyncIsComplete();
  });

  afterAll(async () => {
    await device?.close();
    gate?.closeAllConnections();
    gate?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("needs a decision for each record", async () => {
    problem = wrongSettings;
    for (const person of people) await on.editPerson(person, () => on.fill("Family name", "Bautista"));
    await on.syncNow();
    await expect.poll(() => on.count("parked")).toBe(2);
    await device.picture("refused");
  });

  it("goes out in one go, once the office has put it right", async () => {
    problem = null;
    await on.press("Send all 2 refused records again");
    await expect.poll(() => on.count("parked")).toBe(0);
    await expect.poll(async () => (await on.count("pending")) + (await on.count("sending"))).toBe(0);
    await device.picture("sent");
    for (const person of people)
      expect((await office.get<Individual>(`/${person}`)).name.family).toBe("Bautista");
    const again = device.page().getByRole("button", { name: "refused records again" });
    await expect.poll(() => again.count()).toBe(0);
  });

  it("is told by the names of the fields, with the way to them", async () => {
    problem = wrongDay;
    const [person = ""] = people;
    const said = (text: string) => device.page().getByRole("status").getByText(text);
    await on.editPerson(person, () => on.fill("Given name", "Rosa"));
    await on.shown("Needs your decision");
    await said("Saved on this device").waitFor({ state: "detached" });
    await on.syncNow();
    await expect.poll(() => on.count("parked")).toBe(1);
    await on.open(`#/decide/${encodeURIComponent(person)}`);
    await on.press("Send again as it is");
    await on.shown("Your changes");
    await expect.poll(() => on.count("parked")).toBe(1);
    await said("It will be sent again").waitFor({ state: "detached" });
    await device.picture("refused-again");
    await on.open(`#/decide/${encodeURIComponent(person)}`);
    await on.shown("Press “Edit the record” to correct what the server did not accept");
    await on.shown("Date of birth must not be after today");
    const main = device.page().locator("main");
    for (const none of ["/birthDate", "The server says"]) expect(await main.getByText(none).count()).toBe(0);
    await device.picture("field");
    await main.getByRole("link", { name: "Edit the record" }).click();
    await main.getByRole("link", { name: "Date of birth must not be after today" }).waitFor();
    problem = null;
    await on.fill("Given name", "Rosalinda");
    await on.press("Save");
    await main.getByRole("link", { name: "Edit person" }).waitFor();
    await on.syncNow();
    expect(await on.count("parked")).toBe(0);
  });
});
