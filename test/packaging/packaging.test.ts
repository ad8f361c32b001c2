import { execFileSync, spawnSync } from "node:child_process";
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
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Package, readPackages, root, specifiersOf } from "./packages.ts";

const packages = readPackages();
const away = mkdtempSync(join(tmpdir(), "fieldroll-packaging-"));
const modules = join(away, "node_modules");

/** Subpaths that do their work when loaded, inside a worker; elsewhere they can only be read. */
const needsWorker = new Set(["@fieldroll/sync/worker", "@fieldroll/sync/service-worker"]);

/** Packs what npm would publish and unpacks it as npm would install it, without asking any registry. */
function install({ folder, manifest }: Package): void {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", away], {
    cwd: folder,
    encoding: "utf8",
  });
  const target = join(modules, manifest.name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", [
    "-xzf",
    join(away, packed.trim().split("\n").at(-1) ?? ""),
    "-C",
    target,
    "--strip-components=1",
  ]);
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

function declaredBy({ manifest }: Package): string[] {
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
}

beforeAll(() => {
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "pipe" });
  for (const each of packages) install(each);
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

  it("comes with its licence", () => {
    expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("Apache License");
  });

  it.each(specifiersOf(each).filter((specifier) => !needsWorker.has(specifier)))("loads %s", (specifier) => {
    const script = `import * as loaded from "${specifier}"; console.log(Object.keys(loaded).length);`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      {
        cwd: away,
        encoding: "utf8",
      },
    );
    // Test tools refuse to load outside a run of theirs, which is their answer and not a fault of the package.
    if (specifier.endsWith("/testing") && stderr.includes("Vitest failed to access its internal state"))
      return;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Number(stdout)).toBeGreaterThan(0);
  });
});

describe("the installed command", () => {
  const server = packages.find(({ manifest }) => manifest.bin?.fieldroll);

  it("shows its help", () => {
    const command = join(modules, server?.manifest.name ?? "", server?.manifest.bin?.fieldroll ?? "");
    const help = spawnSync(command, ["--help"], { cwd: away, encoding: "utf8" });
    expect(help.stderr).toBe("");
    expect(help.stdout).toContain("serve");
    expect(help.status).toBe(0);
  });
});
