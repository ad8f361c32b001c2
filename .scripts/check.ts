/**
 * Runs every check but the tests, the quick ones first, and says at the end which failed: `npm run check`.
 * `npm run check -- types lint` runs those named, `npm run check -- --but types` all others.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Command = readonly [program: string, ...args: string[]];

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = readdirSync(`${root}/packages`).map((name) => `packages/${name}`);
const script = (name: string): Command => [process.execPath, "--import", "tsx", `.scripts/${name}.ts`];
const tool = (name: string, ...args: string[]): Command => [
  "npm",
  "exec",
  "--offline",
  "--no",
  "--",
  name,
  ...args,
];

const checks: Readonly<Record<string, readonly Command[]>> = {
  lint: [tool("biome", "ci", "--colors=off", ".")],
  types: [script("types")],
  architecture: [
    tool(
      "vitest",
      "run",
      "--config=.config/vitest.config.ts",
      "--project=node",
      "--reporter=dot",
      "test/architecture",
    ),
  ],
  "dead code": [tool("knip")],
  build: [script("build")],
  publint: packages.map((folder) => tool("publint", folder, "--strict")),
  "are the types wrong": packages.map((folder) => tool("attw", "--pack", folder, "--profile", "esm-only")),
  sizes: [script("sizes")],
  browsers: [["npm", "run", "--silent", "build", "--workspace", "examples/field-app"], script("browsers")],
};

/** Checks whose findings are worth reading when they pass. */
const telling = new Set(["browsers"]);

/** A check speaks only when it has something to say. */
function passes([program, ...args]: Command, tells: boolean): boolean {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, npm_config_loglevel: "error", NO_COLOR: "1", FORCE_COLOR: "0" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0 || tells)
    process.stdout.write(`${stdout ?? ""}${stderr ?? ""}${error ? `${error.message}\n` : ""}`);
  return status === 0;
}

const [first, ...others] = process.argv.slice(2);
const isWanted = (name: string) =>
  first === undefined || (first === "--but" ? !others.includes(name) : [first, ...others].includes(name));
const chosen = Object.entries(checks).filter(([name]) => isWanted(name));
const failed: string[] = [];

for (const [name, commands] of chosen) {
  const started = performance.now();
  const ok = commands.map((command) => passes(command, telling.has(name))).every(Boolean);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)\n`);
  if (!ok) failed.push(name);
}

process.stdout.write(failed.length ? `Failed: ${failed.join(", ")}.\n` : "Every check passes.\n");
process.exitCode = failed.length ? 1 : 0;
