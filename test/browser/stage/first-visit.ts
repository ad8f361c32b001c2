import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Device, openDevice } from "./device.ts";
import { screensOf } from "./screens.ts";
import { runCommand, type ServerProcess, startServer } from "./server.ts";
import { openSlowLine, type Quality } from "./slow-line.ts";

/** The slowest link that the app promises to work over. */
export const slowest = { bitsPerSecond: 50_000, latency: 400, cutEvery: 60_000 } satisfies Quality;

const feed = "area:PH/Cavite/Imus";
const enumerator = { id: "enumerator", secret: "walk-house-to-house" };

/** A moment of a visit. */
export interface Moment {
  /** Since the address was opened. */
  readonly seconds: number;
  /** Bytes to the device. */
  readonly down: number;
  /** Requests of the device. */
  readonly asked: number;
}

/** A tablet's first visit to a register over a slow link. */
export interface FirstVisit {
  readonly device: Device;
  /** Where it stands now. */
  now(): Moment;
  /** Signs in, once the form is there. @returns when the form was, and when the first record could be opened */
  begin(): Promise<{ readonly form: Moment; readonly first: Moment }>;
  /** @param progress called with the records so far. @returns how many there are, once all are there */
  isComplete(progress?: (records: number) => void): Promise<number>;
  close(): Promise<void>;
}

/** Opens the app's address for the first time, on a tablet whose area has so many households. */
export async function openFirstVisit(options: {
  readonly executablePath: string;
  readonly folder: string;
  readonly households: number;
  readonly quality: Quality;
}): Promise<FirstVisit> {
  const { executablePath, folder, households, quality } = options;
  const server = await startRegister(folder, households);
  const line = await openSlowLine(server.port, quality);
  const screen = { width: 800, height: 1_000 };
  // The start of the browser is no part of a visit.
  const now = () => ({
    seconds: (performance.now() - line.firstAt()) / 1_000,
    down: line.down(),
    asked: line.asked(),
  });
  const device = await openDevice({
    ...{ name: "slow", executablePath, folder, server: line.port, pictures: folder, screen },
    path: `?feed=${encodeURIComponent(feed)}`,
    patient: true,
  });
  const on = screensOf(device);
  const wait = { timeout: 600_000 };
  return {
    ...{ device, now },
    async begin() {
      await device.page().getByLabel("User name").waitFor(wait);
      const form = now();
      await on.fill("User name", enumerator.id);
      await on.fill("Password", enumerator.secret);
      await on.press("Sign in");
      await device.page().locator("main .app-list a").first().waitFor(wait);
      return { form, first: now() };
    },
    async isComplete(progress = () => undefined) {
      await on.open("#/sync");
      const state = device.page().locator('main [data-testid="first-sync"]');
      await state.waitFor(wait);
      for (;;) {
        const records = Number(await state.getAttribute("data-records"));
        progress(records);
        if ((await state.getAttribute("data-complete")) === "true") return records;
        await device.page().waitForTimeout(500);
      }
    },
    async close() {
      await device.close();
      await line.close();
      await server.stop();
    },
  };
}

async function startRegister(folder: string, households: number): Promise<ServerProcess> {
  const [clients, records] = [join(folder, "clients.json"), join(folder, "records.ndjson")];
  const database = join(folder, "registry.db");
  const scopes = ["registry:read", "registry:write", "program:read", "program:write"];
  const organization = {
    organization: "Field office",
    organizationType: "government",
    legalBasis: "public_task",
  };
  await writeFile(clients, JSON.stringify([{ ...enumerator, scopes, ...organization }]));
  await writeFile(records, Array.from({ length: households }, (_, i) => householdLines(i)).join(""));
  await runCommand(["import", "--database", `sqlite:${database}`, records]);
  return startServer(database, ["--clients", clients]);
}

const givenNames = ["Ana", "Ben", "Carla", "Dario", "Elena", "Felix", "Gloria", "Hugo"];
const roles = ["head", "spouse", "child", "child"];

/** A household of four and its people, a line each. */
function householdLines(number: number): string {
  const address = [
    { type: "physical", country: "PH", state: "Cavite", city: "Imus", line: [`Purok ${number}`] },
  ];
  const family = `Reyes ${number}`;
  const people = roles.map((_, i) => ({
    type: "Individual",
    identifier: [{ system: "urn:gov:ph:nid", value: `${number}-${i}` }],
    name: { family, given: givenNames[(number + i) % givenNames.length] },
    birthDate: `${1955 + ((number * 7 + i * 22) % 65)}-0${1 + (number % 9)}-11`,
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: String(1 + (i % 2)) }] },
    address,
  }));
  const member = people.map(({ identifier: [id] }, i) => ({
    entity: { reference: `Individual/${id?.system}|${id?.value}` },
    role: { coding: [{ system: "urn:service:vocab:relationship", code: roles[i] }] },
  }));
  const identifier = [{ system: "urn:gov:ph:household", value: String(number) }];
  const group = {
    type: "Group",
    groupType: "household",
    identifier,
    name: `${family} household`,
    address,
    member,
  };
  return [...people, group].map((record) => `${JSON.stringify(record)}\n`).join("");
}
