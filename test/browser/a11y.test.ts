import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Group, Individual, ProgramMembership } from "@fieldroll/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { startDemonstration } from "./stage/demonstration.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { type Screens, screensOf } from "./stage/screens.ts";
import { type Office, openOffice, type ServerProcess } from "./stage/server.ts";

const pictures = fileURLToPath(new URL("../../.artifacts/screens", import.meta.url));
const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const user = { id: "enumerator", secret: "walk-house-to-house" };

/** What axe-core finds wrong on the screen, each with the places it found. */
async function violations(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    type Found = { id: string; nodes: { target: string[] }[] };
    const { axe: runner } = globalThis as unknown as {
      axe: { run(root: Document, options: unknown): Promise<{ violations: Found[] }> };
    };
    const { violations: found } = await runner.run(document, { runOnly });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  }, standards);
}

/** Controls smaller than a fingertip, and content wider than the screen. */
function cramped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = [...document.querySelectorAll("a, button, input, select")];
    const small = controls.filter((control) => {
      const { width, height } = control.getBoundingClientRect();
      const hidden = width <= 1 || control.classList.contains("govuk-skip-link");
      return !hidden && (width < 47.5 || height < 47.5);
    });
    const wide =
      document.documentElement.scrollWidth > window.innerWidth ? ["the page scrolls sideways"] : [];
    return [...wide, ...small.map((control) => `${control.tagName} ${control.textContent} is below 48 px`)];
  });
}

/** Parts of the screen that do not stand in the column of the header, or are not as wide: how far they are off. */
function outOfColumn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const header = document.querySelector(".app-header__inner")?.getBoundingClientRect();
    const parts = [...document.querySelectorAll("main, .app-root .govuk-width-container")];
    return parts.flatMap((part) => {
      const { left, width } = part.getBoundingClientRect();
      if (left === header?.left && width === header.width) return [];
      return [
        `${part.tagName} ${part.className}: ${left}, ${width} wide; the header: ${header?.left}, ${header?.width} wide`,
      ];
    });
  });
}

/** The feed of the area a household is in, so that only that is downloaded. */
function areaOf({ address = [] }: Group): string {
  const [first] = address;
  return `area:${[first?.country, first?.state, first?.city].join("/")}`;
}

describeInChromium("Every screen of the field app", (executablePath) => {
  let folder = "";
  let axe = "";
  let server: ServerProcess;
  let device: Device;
  let office: Office;
  let on: Screens;
  let household = "";
  let member = "";
  let enrollment = "";

  beforeAll(async () => {
    axe = await readFile(axeFile, "utf8");
    folder = await mkdtemp(join(tmpdir(), "fieldroll-screens-"));
    server = await startDemonstration(join(folder, "registry.db"));
    office = await openOffice(server.url, user);
    const enrolled = await office.get<{ data: ProgramMembership[] }>(
      "/ProgramMembership?status=enrolled&limit=100",
    );
    const ofGroup = enrolled.data.find((each) => each.beneficiary.reference.startsWith("Group/"));
    if (!ofGroup) throw new Error("The demonstration has no household that is enrolled.");
    household = ofGroup.beneficiary.reference;
    enrollment = `ProgramMembership/${ofGroup.identifier[0]?.system}|${ofGroup.identifier[0]?.value}`;
    const group = await office.get<Group>(`/${household}`);
    member = group.member?.[0]?.entity.reference ?? "";
    const screen = { width: 360, height: 640 };
    const { port } = server;
    device = await openDevice({ name: "screens", executablePath, folder, server: port, pictures, screen });
    on = screensOf(device);
    await device.page().goto(`${device.address}?feed=${encodeURIComponent(areaOf(group))}`);
  });

  afterAll(async () => {
    await device?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (screen: string, ...names: string[]) =>
    `#/${[screen, ...names.map(encodeURIComponent)].join("/")}`;
  const opened = (hash: string, heading?: string) => async () => {
    await on.open(hash);
    const main = device.page().locator("main:not([aria-busy])");
    await main.getByRole("heading", { level: 1, ...(heading && { name: heading }) }).waitFor();
  };

  const screens: [name: string, go: () => Promise<void>][] = [
    ["signing in", async () => on.press("Sign in")],
    [
      "finding",
      async () => {
        await on.signIn(user.id, user.secret);
        await on.firstSyncIsComplete();
        await on.find("a");
      },
    ],
    ["the sync screen", () => opened("#/sync", "Sync")()],
    ["a household", () => opened(at("household", household))()],
    ["editing a household", () => opened(at("edit-household", household), "Edit household")()],
    [
      "editing a household whose address is outside of the area",
      async () => {
        await opened(at("edit-household", household), "Edit household")();
        await on.fill("Town or municipality (optional)", "Elsewhere");
        await on.press("Save");
        await on.shown("Is the address right?");
      },
    ],
    ["adding a member", () => opened(at("add-member", household), "Add a member")()],
    [
      "adding somebody who is a member",
      async () => {
        await opened(at("add-member", household), "Add a member")();
        const { name } = await office.get<Individual>(`/${member}`);
        await on.fill("Find the person by name or identifier", name.text ?? "");
        await on.shown("is already a member of this household");
      },
    ],
    ["changing a member", () => opened(at("member", household, member), "Change a member")()],
    ["a person", () => opened(at("person", member))()],
    [
      "editing a person, with faults",
      async () => {
        await opened(at("edit-person", member), "Edit person")();
        await on.fill("Given name", "");
        await on.fill("Family name", "");
        await on.press("Save");
        await device.page().getByRole("alert").waitFor();
      },
    ],
    [
      "editing a person, with what was typed before",
      async () => {
        await opened("#/", "Find a household or person")();
        await opened(at("edit-person", member), "Edit person")();
        await on.shown("Unsaved input from");
      },
    ],
    [
      "an enrollment, with what was typed before",
      async () => {
        await opened(at("enrollment", enrollment))();
        await device.page().getByLabel("Left the program").check();
        await on.fill("Reason for leaving", "Moved");
        await opened("#/", "Find a household or person")();
        await opened(at("enrollment", enrollment))();
        await on.shown("Unsaved input from");
        expect(await device.page().getByLabel("Reason for leaving").inputValue()).toBe("Moved");
      },
    ],
    [
      "an enrollment, asked whether it ends",
      async () => {
        await on.press("Save the new status");
        await device.page().getByRole("group", { name: "Does this enrollment end?" }).waitFor();
      },
    ],
    [
      "editing a person anew",
      async () => {
        await opened(at("edit-person", member), "Edit person")();
        await on.press("Discard this input");
        await device.page().getByText("Unsaved input from").waitFor({ state: "detached" });
      },
    ],
    ["enrolling", () => opened(at("enroll", household), "Enroll in a program")()],
    ["an enrollment", () => opened(at("enrollment", enrollment))()],
    ["an enrollment’s days", () => opened(at("edit-enrollment", enrollment), "Correct the days")()],
    [
      "registering, with faults",
      async () => {
        await opened("#/register", "Register a household")();
        await on.press("Add another person");
        await on.press("Register household");
        await device.page().getByRole("alert").waitFor();
      },
    ],
    [
      "registering someone who may be registered already",
      async () => {
        await opened("#/register", "Register a household")();
        const { name } = await office.get<Individual>(`/${member}`);
        const card = device.page().getByRole("group", { name: "Person 1", exact: true });
        await card.getByLabel("Given name").fill(name.given ?? "");
        await card.getByLabel("Family name").fill(name.family ?? "");
        await card.getByLabel("Nothing").check();
        await card.getByRole("heading", { name: "This person may be registered already" }).waitFor();
        await card.getByText("same name").first().waitFor();
      },
    ],
    [
      "editing a person whom someone else changed meanwhile",
      async () => {
        await opened(at("edit-person", member), "Edit person")();
        await on.fill("Family name", "Mine");
        await office.patch(`/${member}`, { name: { family: "Another" } });
        await on.syncNow();
        await opened(at("edit-person", member), "Edit person")();
        await on.press("Save");
        await on.shown("Someone else changed the same fields");
        await device.page().locator("button:not([aria-disabled])", { hasText: "Save mine anyway" }).waitFor();
      },
    ],
    [
      "a person, after that form was left",
      async () => {
        await device.page().getByRole("link", { name: "Cancel" }).click();
        await on.shown("Another");
      },
    ],
    [
      "deciding between two versions, with faults",
      async () => {
        await device.goOffline();
        await on.editPerson(member, () => on.fill("Family name", "Here"));
        await office.patch(`/${member}`, { name: { family: "There" } });
        await device.goOnline();
        await on.syncNow();
        await opened(at("decide", member), "Two people changed this record")();
        await on.press("Save these choices");
        await device.page().getByRole("alert").waitFor();
      },
    ],
    ["a record that is not here", () => opened(at("person", "Individual/urn:none|none"), "Nothing here")()],
    [
      "signing out, asked about a change that is not sent",
      async () => {
        await opened("#/sync", "Sync")();
        await on.press("Sign out");
        await on.shown("1 record has changes that are not sent");
      },
    ],
    [
      "signed out, the change kept",
      async () => {
        await on.press("Sign out and keep the changes here");
        await device.page().getByText("1 record with changes is kept on this device").waitFor();
      },
    ],
    [
      "signed in again, the change back",
      async () => {
        await on.signIn(user.id, user.secret);
        await device.page().getByText("1 record with your changes is back").waitFor();
        await on.open("#/sync");
        await device.page().locator('[data-testid="parked-count"]:text("1")').waitFor();
      },
    ],
    [
      "finding, in a pause",
      async () => {
        await on.press("Pause");
        await on.find("a");
        await device.page().getByRole("button", { name: "Go on" }).waitFor();
      },
    ],
  ];

  it.each(screens)("has no fault that axe-core finds, and fits phone, tablet and desk: %s", async (_, go) => {
    await go();
    for (const size of [
      { width: 360, height: 640 },
      { width: 768, height: 1024 },
      { width: 1280, height: 900 },
    ]) {
      await device.page().setViewportSize(size);
      await device.picture(String(size.width));
      const page = device.page();
      const found = { cramped: await cramped(page), outOfColumn: await outOfColumn(page) };
      expect({ axe: await violations(page, axe), ...found }).toEqual({
        axe: [],
        cramped: [],
        outOfColumn: [],
      });
    }
  });
});
