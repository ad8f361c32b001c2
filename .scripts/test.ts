/**
 * Runs every test: `npm test`. Arguments go to vitest (`npm test -- packages/core`).
 *
 * Looks for a browser first and installs one where our script can, so that `npm cit` on a fresh machine is enough;
 * FIELDROLL_CHROMIUM=none keeps it from that. So for PgBouncer and nginx, with FIELDROLL_PGBOUNCER=none and FIELDROLL_NGINX=none.
 * The totals land in .artifacts/vitest.json, from which .ci/run prints its last line.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromiumMissing, findChromium, installsChromium } from "../test/browser/chromium.ts";
import { findNginx, installsNginx } from "../test/contract/support/nginx.ts";
import { findPgbouncer, installsPgbouncer } from "../test/postgres/pgbouncer.ts";
import { readReport, skippedNames } from "./report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = ".artifacts/vitest.json";

function run(command: string, args: readonly string[]): number {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error) process.stderr.write(`${command}: ${error.message}\n`);
  return status ?? 1;
}

const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

function installChromium(args: readonly string[]): void {
  const machine = { canInstall, hasBrowser: findChromium() !== undefined };
  if (installsChromium(args, process.env, machine)) run("bash", [".scripts/install.sh", "chromium"]);
  if (args.includes("--project=node") || findChromium()) return;
  process.stderr.write(`Browser tests will be skipped: ${chromiumMissing}.\n`);
}

/** Tests on PostgreSQL run without; those that need it are skipped by name. */
function installPgbouncer(args: readonly string[]): void {
  const machine = { canInstall, hasPgbouncer: findPgbouncer() !== undefined };
  if (installsPgbouncer(args, process.env, machine)) run("bash", [".scripts/install.sh", "pgbouncer"]);
}

function installNginx(args: readonly string[]): void {
  const machine = { canInstall, hasNginx: findNginx() !== undefined };
  if (installsNginx(args, process.env, machine)) run("bash", [".scripts/install.sh", "nginx"]);
}

const args = process.argv.slice(2);
installChromium(args);
installPgbouncer(args);
installNginx(args);
mkdirSync(`${root}/.artifacts`, { recursive: true });
rmSync(`${root}/${report}`, { force: true });
const status = run(process.execPath, [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--config=.config/vitest.config.ts",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...args,
]);

const told = readReport(`${root}/${report}`);
// Whatever the runner loads may end it as it likes; what it reports counts too.
process.exitCode = status === 0 && !told?.success ? 1 : status;
for (const name of skippedNames(told)) process.stdout.write(`skipped: ${name}\n`);
