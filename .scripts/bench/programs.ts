import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The programs that are measured, compiled as the build compiles them: what runs from source is slower. */
export interface Programs {
  /** The command line. */
  readonly fieldroll: string;
  /** See `bare.ts`. */
  readonly bare: string;
  /** See `stores-sqlite.ts`. */
  readonly stores: string;
  /** See `stores-postgres.ts`. */
  readonly postgres: string;
  remove(): Promise<void>;
}

/** Compiles the programs into a folder of their own, from which they find the packages that they import. */
export async function buildPrograms(): Promise<Programs> {
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const outdir = await mkdtemp(join(cache, "fieldroll-bench-"));
  await build({
    absWorkingDir: root,
    entryPoints: {
      fieldroll: "packages/server/src/cli/main.ts",
      bare: ".scripts/bench/bare.ts",
      stores: ".scripts/bench/stores-sqlite.ts",
      postgres: ".scripts/bench/stores-postgres.ts",
    },
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    plugins: [
      {
        name: "only our own packages",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith("@fieldroll/") ? undefined : { path, external: true },
          ),
      },
    ],
    outExtension: { ".js": ".mjs" },
  });
  return {
    fieldroll: join(outdir, "fieldroll.mjs"),
    bare: join(outdir, "bare.mjs"),
    stores: join(outdir, "stores.mjs"),
    postgres: join(outdir, "postgres.mjs"),
    remove: () => rm(outdir, { recursive: true }),
  };
}
