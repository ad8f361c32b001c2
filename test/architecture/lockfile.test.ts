import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source.ts";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** Where Node would find a dependency of a locked package: beside it, or in a folder further up. */
function isLocked(packages: Lockfile["packages"], dependent: string, name: string): boolean {
  const places = dependent.split("/node_modules/").map((_, depth, parts) => parts.slice(0, depth + 1));
  const above = places.map((parts) => `${parts.join("/node_modules/")}/node_modules/${name}`);
  return [`node_modules/${name}`, ...above].some((path) => path in packages);
}

describe.each(["package-lock.json", ".scripts/bench/peers/package-lock.json"])("%s", (path) => {
  const text = readFileSync(join(root, path), "utf8");
  const { packages } = JSON.parse(text) as Lockfile;

  it("takes packages from the public registry or from the workspace only", () => {
    const strangers = Object.entries(packages).flatMap(([path, { resolved, link }]) => {
      const workspace = link && /^(packages|examples)\/[\w-]+$/.test(resolved ?? "");
      const fine = resolved === undefined || workspace || resolved.startsWith("https://registry.npmjs.org/");
      return fine ? [] : [`${path}: ${resolved}`];
    });
    expect(strangers).toEqual([]);
  });

  it("holds no address of the machine that wrote it", () => {
    expect(text).not.toMatch(/localhost|127\.0\.0\.1|file:|"\/|[A-Za-z]:\\\\/);
  });

  it("names the optional packages of every platform, without which `npm ci` refuses to start", () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name]) => !isLocked(packages, path, name))
        .map(([name, version]) => `${name}@${version}, wanted by ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
