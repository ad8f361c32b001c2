import type { Locator, Page } from "playwright-core";
import type { Device } from "./device.ts";

/** What a person does on the screens of the field app, by what they read there. */
export function screensOf(device: Device) {
  const page = () => device.page();
  const main = () => page().locator("main");
  /** Until the app was told of the address: two changes in one go are one to it, and the screen between is not left. */
  const open = async (hash: string) => {
    await page().evaluate(
      (to) =>
        new Promise<void>((resolve) => {
          const before = window.location.href;
          window.addEventListener("hashchange", () => resolve(), { once: true });
          window.location.hash = to;
          if (window.location.href === before) resolve();
        }),
      hash,
    );
  };
  const press = (name: string) => main().getByRole("button", { name, exact: true }).click();
  const fill = (label: string, value: string) => main().getByLabel(label, { exact: true }).fill(value);
  /** Waits for something; where it does not come, the failure tells what is there instead. */
  const comes = (what: Locator) =>
    what.waitFor().catch(async (cause: Error) => {
      const text = await main().ariaSnapshot();
      throw new Error(`${cause.message}\nAt ${page().url()} the screen says:\n${text}`, { cause });
    });
  const shown = (text: string | RegExp) => comes(main().getByText(text).first());
  const findsAgain = () => comes(main().getByRole("heading", { name: "Find a household or person" }));
  return {
    open,
    /** Leaves a screen by the menu, as a person does who forgets to save. */
    async leave() {
      await page().getByRole("link", { name: "Find", exact: true }).click();
      await findsAgain();
    },
    press,
    fill,
    shown,
    async signIn(user: string, password: string) {
      await fill("User name", user);
      await fill("Password", password);
      await press("Sign in");
      await findsAgain();
    },
    async firstSyncIsComplete() {
      await open("#/sync");
      await main().locator('[data-testid="first-sync"][data-complete="true"]').waitFor({ timeout: 120_000 });
    },
    /** Until the service worker serves the page: from then on it loads without a network. */
    async isAvailableOffline() {
      await page().waitForFunction(() => navigator.serviceWorker.controller !== null);
    },
    async find(term: string) {
      await open("#/");
      await fill("Name or identifier", term);
      await press("Search");
      await main().getByRole("status").waitFor({ state: "attached" });
    },
    openHousehold: (reference: string) => open(`#/household/${encodeURIComponent(reference)}`),
    async openPerson(reference: string) {
      await open(`#/person/${encodeURIComponent(reference)}`);
      await main().getByRole("link", { name: "Edit person" }).waitFor();
    },
    async editPerson(reference: string, change: () => Promise<void>) {
      await open(`#/edit-person/${encodeURIComponent(reference)}`);
      await main().getByRole("heading", { name: "Edit person" }).waitFor();
      await change();
      await press("Save");
      await main().getByRole("link", { name: "Edit person" }).waitFor();
    },
    /** A row of a summary: its value by its name. */
    row: (name: string): Locator =>
      main()
        .locator(".govuk-summary-list__row")
        .filter({ has: page().getByText(name, { exact: true }) })
        .locator("dd"),
    count: async (name: "pending" | "sending" | "parked") =>
      Number(await main().getByTestId(`${name}-count`).textContent()),
    /** Presses "Sync now" and waits until nothing is left to send. */
    async syncNow() {
      await open("#/sync");
      await main().getByRole("heading", { name: "Sync", exact: true }).waitFor();
      await press("Sync now");
      await settled(page());
    },
  };
}

export type Screens = ReturnType<typeof screensOf>;

/** Until the engine rests and nothing waits but what waits for a person. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const text = (id: string) => document.querySelector(`[data-testid="${id}"]`);
    const phase = text("sync-phase")?.getAttribute("data-phase");
    const busy = document.querySelector("main button[aria-busy='true'], main button[aria-disabled='true']");
    const unsent = Number(text("pending-count")?.textContent) + Number(text("sending-count")?.textContent);
    return phase === "idle" && unsent === 0 && !busy;
  });
}
