import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the packaging tests read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace. */
export interface Package {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages that are published, in the order of their names. */
export function readPackages(): Package[] {
  return readdirSync(join(root, "packages"))
    .sort()
    .map((name) => {
      const folder = join(root, "packages", name);
      return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest };
    });
}

/** Every specifier that callers may import, such as `@fieldroll/core/testing`. */
export function specifiersOf({ manifest }: Package): string[] {
  return Object.keys(manifest.exports).map((subpath) => manifest.name + subpath.slice(1));
}
