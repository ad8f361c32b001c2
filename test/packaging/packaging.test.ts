import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { written } from "../docs/readme-examples.ts";
import { type Package, readPackages, root, specifiersOf } from "./packages.ts";

const packages = readPackages();
const away = mkdtempSync(join(tmpdir(), "fieldroll-packaging-"));
const modules = join(away, "node_modules");

/** Subpaths that are for a page or for a worker, where Node can't load them. */
const forBrowsers = ["@fieldroll/sync/page", "@fieldroll/sync/worker", "@fieldroll/sync/service-worker"];

const run = promisify(execFile);

/** Packs what npm would publish and unpacks it as npm would install it, without asking any registry. */
async function install({ folder, manifest }: Package): Promise<void> {
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", away], { cwd: folder });
  const tarball = join(away, stdout.trim().split("\n").at(-1) ?? "");
  const target = join(modules, manifest.name);
  mkdirSync(target, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
}

/** Links a declared third party from the checkout; what is not declared stays out of reach. */
function linkThirdParty(name: string, from: Package): void {
  const places = [join(from.folder, "node_modules", name), join(root, "node_modules", name)];
  const source = places.find((path) => existsSync(path));
  const target = join(modules, name);
  if (!source || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(source, target, "dir");
}

interface Answer {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node where only the installed packages can be found. */
function node(args: readonly string[]): Promise<Answer> {
  const env = { ...process.env, NODE_OPTIONS: "" };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: away, env }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}

function declaredBy({ manifest }: Package): string[] {
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
}

beforeAll(async () => {
  await run("npm", ["run", "--silent", "build"], { cwd: root });
  for (const each of packages) await install(each);
  for (const each of packages)
    for (const name of declaredBy(each)) if (!name.startsWith("@fieldroll/")) linkThirdParty(name, each);
  writeFileSync(join(away, "package.json"), JSON.stringify({ private: true, type: "module" }));
}, 180_000);

afterAll(() => rmSync(away, { recursive: true, force: true }));

describe.each(packages.map((each) => [each.manifest.name, each] as const))("the packed %s", (name, each) => {
  const installed = join(modules, name);

  it("holds every file that its exports and commands name", () => {
    const named = [
      ...Object.values(each.manifest.exports).flatMap((target) => Object.values(target)),
      ...Object.values(each.manifest.bin ?? {}),
    ];
    expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  });

  it("holds no entry in dist beyond those", () => {
    const named = [
      ...Object.values(each.manifest.exports).flatMap(({ types = "", default: code = "" }) => [types, code]),
      ...Object.values(each.manifest.bin ?? {}),
    ].map((path) => path.replace("./dist/", ""));
    const entries = readdirSync(join(installed, "dist")).filter((file) => file !== "chunks");
    expect(entries.sort()).toEqual([...new Set(named)].sort());
  });

  it("comes with its licence, and says what it is", () => {
    expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("Apache License");
    expect(readFileSync(join(installed, "README.md"), "utf8")).toContain(`# ${name}\n`);
  });

  it.each(specifiersOf(each).filter((specifier) => !forBrowsers.includes(specifier)))(
    "loads %s",
    async (specifier) => {
      const script = `import * as loaded from "${specifier}"; console.log(Object.keys(loaded).length);`;
      const answer = await node(["--input-type=module", "--eval", script]);
      // Test tools refuse to load outside a run of theirs, which is their answer and not a fault of the package.
      if (
        specifier.endsWith("/testing") &&
        answer.stderr.includes("Vitest failed to access its internal state")
      )
        return;
      expect(answer).toMatchObject({ failed: false, stderr: "" });
      expect(Number(answer.stdout)).toBeGreaterThan(0);
    },
  );
});

describe("a browser's bundler", () => {
  it.each(forBrowsers)("takes %s from the packed packages", async (specifier) => {
    const contents = `import * as loaded from "${specifier}"; globalThis.loaded = loaded;`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: away },
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
    });
    expect(outputFiles[0]?.text).toContain("globalThis.loaded");
  });
});

describe("what the README says of the packages", () => {
  it("packs them by its command, and no example", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    const [, options = ""] = /`npm pack((?: -w \S+)+)`/.exec(readme) ?? [];
    const command = ["pack", "--dry-run", "--json", "--silent", ...options.trim().split(" ")];
    const { stdout } = await run("npm", command, { cwd: root });
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    expect(names.sort()).toEqual(packages.map(({ manifest }) => manifest.name));
  });

  it("runs an example by tsx on what was built", async () => {
    const { stdout } = await run("npx", ["tsx", await written("embed")], { cwd: root });
    expect(stdout).toContain("Reyes, born 1988-04-02");
  });
});

describe("the installed command", () => {
  const server = packages.find(({ manifest }) => manifest.bin?.fieldroll);

  it("shows its help", async () => {
    const command = join(modules, server?.manifest.name ?? "", server?.manifest.bin?.fieldroll ?? "");
    const help = await node([command, "--help"]);
    expect(help).toMatchObject({ failed: false, stderr: "" });
    expect(help.stdout).toContain("serve");
  });
});
