import type { Page } from "playwright-core";
import { type Device, openDevice } from "../../stage/device.ts";
import { enumerator } from "./register.ts";
import type { TabletPage } from "./tablet-page.ts";

/** What tabs tell while they edit. */
export interface Heard {
  begun(token: string, reference: string | null): void;
  done(token: string, reference: string): void;
  refused(token: string, detail: string): void;
}

/** How a tablet's work is broken off: the whole browser, the process of a tab, or a tab that is closed. */
export type Kill = "browser" | "renderer" | "tab";

/** A tab with the page in it. */
export interface Tab {
  readonly page: Page;
  call<Name extends keyof TabletPage>(
    name: Name,
    ...args: Parameters<TabletPage[Name]>
  ): Promise<Awaited<ReturnType<TabletPage[Name]>>>;
}

/** A browser with its profile on disk that has the app open in one tab or more. */
export interface Tablet {
  readonly device: Device;
  /** The tab that was opened last by `open` or after a kill. */
  tab(): Tab;
  open(): Promise<Tab>;
  /** Kills a tab's process, by default the last one's, or closes it; or kills the browser. */
  kill(how: Kill, which?: Tab): Promise<void>;
  /** Opens the app again on what a kill left. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const screen = { width: 360, height: 640 };

/** Opens the app on a profile, which is made when it is not there. */
export async function openTablet(options: {
  readonly executablePath: string;
  /** Folder for the profile. */
  readonly folder: string;
  readonly name: string;
  /** Port of what stands for the server. */
  readonly server: number;
  readonly heard?: Heard;
}): Promise<Tablet> {
  const device = await openDevice({ ...options, pictures: options.folder, screen });
  let tab = await tabIn(device.page(), options.heard);
  let killed: Kill | null = null;
  const open = async () => {
    const page = await device.page().context().newPage();
    await page.goto(device.address);
    tab = await tabIn(page, options.heard);
    return tab;
  };
  return {
    device,
    tab: () => tab,
    open,
    async kill(how, which = tab) {
      killed = how;
      if (how === "browser") await device.kill();
      else if (how === "tab") await which.page.close();
      else await crash(which.page);
    },
    async reopen() {
      if (killed !== "browser") await open();
      else {
        await device.start();
        tab = await tabIn(device.page(), options.heard);
      }
      killed = null;
    },
    close: () => device.close(),
  };
}

/** Syncs until nothing is left to send. Throws when something waits for a person, or nothing helps. */
export async function drain(tab: Tab): Promise<void> {
  for (let round = 0; round < 30; round++) {
    const { needsSignIn, signedInAs, pending, sending, parked, phase } = await tab.call("sync");
    if (needsSignIn || signedInAs === null) await signInOn(tab);
    if (parked > 0) throw new Error(`Parked: ${(await tab.call("parked")).join("; ")}`);
    if (phase === "idle" && pending + sending === 0) return;
  }
  throw new Error(`Not everything was sent: ${JSON.stringify(await tab.call("status"))}`);
}

/** Signs the enumerator in. */
export async function signInOn(tab: Tab): Promise<void> {
  const answer = await tab.call("signIn", enumerator.id, enumerator.secret);
  if (answer !== "ok") throw new Error(`Nobody could be signed in: ${answer}`);
}

async function crash(page: Page): Promise<void> {
  const crashed = new Promise<void>((resolve) => page.once("crash", () => resolve()));
  const session = await page.context().newCDPSession(page);
  // The process that is to answer is the one that ends.
  void session.send("Page.crash").catch(() => undefined);
  await crashed;
}

async function tabIn(page: Page, heard?: Heard): Promise<Tab> {
  if (heard) {
    await page.exposeFunction("tellBegun", heard.begun);
    await page.exposeFunction("tellDone", heard.done);
    await page.exposeFunction("tellRefused", heard.refused);
  }
  return { page, call: (name, ...args) => call(page, name, args) };
}

async function call<Name extends keyof TabletPage>(
  page: Page,
  name: Name,
  args: Parameters<TabletPage[Name]>,
): Promise<Awaited<ReturnType<TabletPage[Name]>>> {
  const answer = page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as { tablet: Record<string, (...each: unknown[]) => unknown> }).tablet[method]?.(
        ...given,
      ),
    [name, args] as const,
  );
  return (await answer) as Awaited<ReturnType<TabletPage[Name]>>;
}
