/**
 * Runs every test: `npm test`. Arguments go to vitest (`npm test -- packages/core`).
 *
 * Looks for a browser first and installs one where our script can, so that `npm cit` on a fresh machine is enough.
 * The totals land in .artifacts/vitest.json, from which .ci/run prints its last line.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromiumMissing, findChromium } from "../test/browser/chromium.ts";
import { readReport, skippedNames } from "./report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = ".artifacts/vitest.json";

function run(command: string, args: readonly string[]): number {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error) process.stderr.write(`${command}: ${error.message}\n`);
  return status ?? 1;
}

/** A browser is worth installing only for a run that would use it, and only where no password is asked for. */
function installChromium(args: readonly string[]): void {
  const wanted = !args.some((arg) => arg === "--project=node");
  const possible = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!wanted || process.env.FIELDROLL_CHROMIUM || findChromium()) return;
  if (possible || process.env.CI === "true") run("bash", [".scripts/install-chromium.sh"]);
  if (!findChromium()) process.stderr.write(`Browser tests will be skipped: ${chromiumMissing}.\n`);
}

const args = process.argv.slice(2);
installChromium(args);
mkdirSync(`${root}/.artifacts`, { recursive: true });
rmSync(`${root}/${report}`, { force: true });
process.exitCode = run(process.execPath, [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--config=.config/vitest.config.ts",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...args,
]);

for (const name of skippedNames(readReport(`${root}/${report}`))) process.stdout.write(`skipped: ${name}\n`);
