import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumSwitches } from "../chromium.ts";
import { type Line, openLine } from "./line.ts";

export interface DeviceOptions {
  readonly name: string;
  readonly executablePath: string;
  /** Folder for the profile; it stays from one start of the browser to the next. */
  readonly folder: string;
  /** Port of the server. */
  readonly server: number;
  /** Folder for pictures of the screen. */
  readonly pictures: string;
  readonly screen: { readonly width: number; readonly height: number };
  /** What is opened below the address. Default: nothing. */
  readonly path?: string;
  /** Whether the browser is handed over before the page is whole, as on a slow network. */
  readonly patient?: boolean;
}

/** A tablet: a Chromium with its profile on disk, and a network of its own. */
export interface Device {
  readonly name: string;
  readonly line: Line;
  readonly address: string;
  page(): Page;
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
  /** Kills the browser with everything in it, as an empty battery does. */
  kill(): Promise<void>;
  /** Starts the browser again on the same profile. */
  start(): Promise<void>;
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openDevice(options: DeviceOptions): Promise<Device> {
  const line = await openLine(options.server);
  const address = `http://localhost:${line.port}/`;
  let run = await startBrowser(options, address);
  let pictures = 0;
  let offline = false;
  const emulate = () => run.context.setOffline(offline);
  return {
    name: options.name,
    line,
    address,
    page: () => run.page,
    async goOffline() {
      line.cut();
      offline = true;
      await emulate();
    },
    async goOnline() {
      line.mend();
      offline = false;
      await emulate();
    },
    kill: () => killBrowser(run),
    async start() {
      run = await startBrowser(options, address);
      await emulate();
    },
    async picture(name) {
      const number = String(++pictures).padStart(2, "0");
      await mkdir(options.pictures, { recursive: true });
      const path = join(options.pictures, `${options.name}-${number}-${name}.png`);
      await run.page.screenshot({ path, fullPage: true });
    },
    async close() {
      await killBrowser(run);
      await line.close();
    },
  };
}

interface Run {
  readonly child: ChildProcess;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
}

/** The browser is a process group of its own, so that a kill leaves nothing of it alive. */
async function startBrowser(options: DeviceOptions, address: string): Promise<Run> {
  const { executablePath, folder, name, screen } = options;
  const switches = [
    ...chromiumSwitches,
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    `--user-data-dir=${join(folder, name)}`,
    `--window-size=${screen.width},${screen.height}`,
    "about:blank",
  ];
  const child = spawn(executablePath, switches, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const browser = await chromium.connectOverCDP(await debuggerAddress(child));
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = context.pages()[0] ?? (await context.newPage());
  await page.setViewportSize(screen);
  await page.goto(
    `${address}${options.path ?? ""}`,
    options.patient ? { waitUntil: "commit", timeout: 120_000 } : {},
  );
  return { child, browser, context, page };
}

async function debuggerAddress(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error("The browser has no standard error.");
  let said = "";
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (found) {
      child.stderr.resume();
      return found;
    }
    said += `${line}\n`;
  }
  throw new Error(`The browser did not start:\n${said}`);
}

async function killBrowser({ child }: Run): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
