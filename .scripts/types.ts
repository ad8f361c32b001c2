/** Type-checks every tsconfig of the workspace, as many at a time as there are processors: `npm run types [-- core]`. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "types");
const wanted = process.argv.slice(2);

function projects(): string[] {
  const under = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  return [...under("packages"), ...under("examples"), "test"]
    .flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => /^tsconfig(\.[\w-]+)?\.json$/.test(name))
        .map((name) => `${folder}/${name}`),
    )
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)));
}

/** An empty project says TS18003, which is no mistake in a package that has yet to grow that part. */
function check(project: string): Promise<{ project: string; ok: boolean; output: string; seconds: number }> {
  const started = performance.now();
  const info = join(cache, `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const tsc = spawn(
    process.execPath,
    [
      "node_modules/typescript/bin/tsc",
      "-p",
      project,
      "--incremental",
      "--tsBuildInfoFile",
      info,
      "--pretty",
      "false",
    ],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  tsc.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve) => {
    tsc.on("close", (code) => {
      const ok = code === 0 || output.includes("error TS18003");
      resolve({ project, ok, output, seconds: (performance.now() - started) / 1000 });
    });
  });
}

mkdirSync(cache, { recursive: true });
const queue = projects();
let failures = 0;

async function work(): Promise<void> {
  for (let project = queue.shift(); project !== undefined; project = queue.shift()) {
    const { ok, output, seconds } = await check(project);
    process.stdout.write(`${ok ? "ok  " : "FAIL"} ${project} (${seconds.toFixed(1)} s)\n${ok ? "" : output}`);
    if (!ok) failures += 1;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
process.exitCode = failures === 0 ? 0 : 1;
