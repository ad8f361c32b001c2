import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumMissing, chromiumSwitches, findChromium } from "../../test/browser/chromium.ts";
import { buildPrograms, type Programs } from "./programs.ts";
import { seed } from "./seed.ts";
import { type Running, startService } from "./servers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** One bundle for each side: two Dexies do not stand each other on one page. */
const pages = {
  engine: "sync-page-engine",
  raw: "sync-page-raw",
  dexie: "sync-page-dexie",
  rxdb: "peers/page-rxdb",
  pouchdb: "peers/page-pouchdb",
  replication: "peers/page-replication",
} as const;
export type PageName = keyof typeof pages;

export type Service = Running & { readonly token: string };

/** Calls a measure of the page. */
export type Call<M> = <Name extends keyof M>(
  name: Name,
  ...args: M[Name] extends (...each: infer Args) => unknown ? Args : never
) => Promise<M[Name] extends (...each: never) => infer Result ? Awaited<Result> : never>;

export interface Tab<M> {
  readonly page: Page;
  readonly call: Call<M>;
  close(): Promise<void>;
}

/** How a page is opened. */
export interface Opening {
  /**
   * A host of its own for the page, with nothing stored: all databases of one origin share their files, and each that was there before
   * makes the next one slower. Default: one that pages have in common.
   */
  readonly at?: string;
  /** A database whose first list the page reads as soon as it is loaded. */
  readonly listOf?: string;
}

/** A browser with its profile on disk, and servers for it. */
export interface Stage {
  /** Those that can be opened: peers may not be installed. */
  readonly pages: readonly PageName[];
  /** Starts a server over a register of its own, with the pages beside the API. */
  serve(records: number): Promise<Service>;
  /** Opens a side's page anew, from a server or a line to one. */
  open<M>(page: PageName, port: number, how?: Opening): Promise<Tab<M>>;
  /** The engine's worker as it was bundled. */
  readonly workerScript: string;
  /** Ends the browser and starts it again on the same profile. */
  restartBrowser(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param profile folder for CPU profiles; the names are left in then
 * @param peers whether those are there that are installed for the bench alone
 */
export async function openStage(profile: string | undefined, peers: boolean): Promise<Stage> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(chromiumMissing);
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-bench-"));
  const app = join(folder, "app");
  const names = (Object.keys(pages) as PageName[]).filter(
    (name) => peers || !pages[name].startsWith("peers/"),
  );
  await buildPages(app, names, profile === undefined);
  const programs = await buildPrograms();
  const start = () => startBrowser(executablePath, join(folder, "profile"));
  let browser = await start();
  const services: Service[] = [];
  return {
    pages: names,
    workerScript: join(app, "engine-worker.js"),
    async serve(records) {
      const own = await mkdtemp(join(folder, "server-"));
      const service = await startSeeded(programs, { folder: own, records, app, profile });
      services.push(service);
      return service;
    },
    open: (page, port, { at, listOf = "" } = {}) => {
      const host = at === undefined ? "localhost" : `${at}.localhost`;
      return openTab(browser, `http://${host}:${port}/${page}.html#${encodeURIComponent(listOf)}`);
    },
    async restartBrowser() {
      await browser.close();
      browser = await start();
    },
    async close() {
      // One that is gone already must not hide why.
      await browser.close().catch(() => undefined);
      for (const service of services) await service.stop();
      await programs.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startSeeded(
  programs: Programs,
  {
    folder,
    records,
    ...options
  }: { folder: string; records: number; app: string; profile: string | undefined },
): Promise<Service> {
  await seed(join(folder, "registry.db"), records);
  return startService(programs, folder, options);
}

function startBrowser(executablePath: string, profile: string): Promise<BrowserContext> {
  const args = [...chromiumSwitches, "--enable-precise-memory-info"];
  return chromium.launchPersistentContext(profile, { executablePath, args });
}

async function openTab<M>(browser: BrowserContext, address: string): Promise<Tab<M>> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(address);
  const call = (async (name: string, ...args: unknown[]) => {
    try {
      return await page.evaluate(
        ([method, given]) =>
          (globalThis as unknown as { measures: Record<string, (...each: unknown[]) => unknown> }).measures[
            method
          ]?.(...given),
        [name, args] as const,
      );
    } catch (error) {
      throw new Error(`${address}, ${name}: ${[error, ...faults].join("\n")}`);
    }
  }) as Call<M>;
  return { page, call, close: () => page.close() };
}

/** Bundles what is measured, as an app would be shipped; for profiles with the names left in. */
async function buildPages(folder: string, names: readonly PageName[], minify: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scripts = names.map((name) => [name, `.scripts/bench/${pages[name]}.ts`]);
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...scripts, ["engine-worker", ".scripts/bench/sync-engine-worker.ts"]]),
    outdir: folder,
    bundle: true,
    minify,
    format: "iife",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    logLevel: "error",
  });
  for (const name of ["index", ...names]) {
    await writeFile(join(folder, `${name}.html`), `<!doctype html><script src="/${name}.js"></script>`);
  }
}
