import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the libraries that only the bench measures itself against: a package of its own, outside the workspaces. */
export const peersFolder = ".scripts/bench/peers";

const command = ["ci", "--prefix", peersFolder, "--no-audit", "--no-fund", "--loglevel", "error"];

/**
 * Installs the peers where they are not there yet.
 *
 * @returns whether they are there; where not, a line has said why
 */
export function installPeers(): boolean {
  if (existsSync(`${root}${peersFolder}/node_modules/rxdb/package.json`)) return true;
  const call = `npm ${command.slice(0, 3).join(" ")}`;
  process.stdout.write(`     ${call}: installing RxDB and PouchDB to measure against, this once\n`);
  const { status, stderr } = spawnSync("npm", command, { cwd: root, encoding: "utf8", timeout: 300_000 });
  if (status === 0) return true;
  const reason = stderr?.trim().split("\n")[0] || "npm could not be run, or took too long";
  process.stdout.write(
    `SKIP rxdb, pouchdb and replication: they can't be installed (${reason}); see ${call}\n`,
  );
  return false;
}
