import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

const usualPlaces = [
  "/usr/lib/chromium/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
];

/** What a person without a Chromium is told. */
export const chromiumMissing =
  "no Chrome or Chromium found: run `npm run chromium`, or set FIELDROLL_CHROMIUM to the path of one";

/** Switches for every Chromium that the tests start: quiet, without a network of its own, root allowed. */
export const chromiumSwitches: readonly string[] = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Looks for the browser that the tests drive: FIELDROLL_CHROMIUM, then the usual names on PATH, then the usual places.
 * FIELDROLL_CHROMIUM=none stands for a machine without one.
 *
 * @returns the path of a program, or undefined where there is none.
 * @throws when FIELDROLL_CHROMIUM names something that can't be run, since falling back would hide the mistake.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env.FIELDROLL_CHROMIUM;
  if (named === "none") return undefined;
  if (named) {
    if (!isProgram(named))
      throw new Error(`FIELDROLL_CHROMIUM is ${named}, which is not a program that can be run`);
    return named;
  }
  const onPath = (env.PATH ?? "")
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return [...onPath, ...usualPlaces].find(isProgram);
}

/**
 * Whether a run of the tests first installs a browser: one that would use it, on a machine that has none, where no password is
 * asked for. FIELDROLL_CHROMIUM keeps it from doing so, whatever it names; README.md says so.
 *
 * @param machine.canInstall whether this process may install packages by apt-get
 */
export function installsChromium(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  machine: { readonly canInstall: boolean; readonly hasBrowser: boolean },
): boolean {
  if (args.includes("--project=node") || env.FIELDROLL_CHROMIUM || machine.hasBrowser) return false;
  return machine.canInstall || env.CI === "true";
}
