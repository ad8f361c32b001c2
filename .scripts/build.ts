/**
 * Builds the packages with Rollup: ESM and declarations for every public subpath, into packages/<name>/dist.
 * `npm run build` builds all, `npm run build -- core sync` those named.
 *
 * What is built follows from each package.json alone: a subpath of `exports` maps its source to its file, and a
 * command `dist/<name>.js` of `bin` comes from `src/<name>/main.ts`. So the two can't drift apart.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, type RollupLog, rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import esbuild from "rollup-plugin-esbuild";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<
    Record<string, { readonly "@fieldroll/source": string; readonly default: string }>
  >;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Inputs = Record<string, string>;

const packages = fileURLToPath(new URL("../packages", import.meta.url));

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function existing(folder: string, source: string, declaredBy: string): string {
  const path = join(folder, source);
  if (!existsSync(path))
    throw new Error(`${folder}/package.json: ${declaredBy} comes from ${source}, which does not exist.`);
  return path;
}

function libraryInputs(folder: string, manifest: Manifest): Inputs {
  const entries = Object.entries(manifest.exports).map(([subpath, target]) => [
    basename(target.default, ".js"),
    existing(folder, target["@fieldroll/source"], `the subpath "${subpath}"`),
  ]);
  return Object.fromEntries(entries) as Inputs;
}

function commandInputs(folder: string, manifest: Manifest): Inputs {
  const entries = Object.entries(manifest.bin ?? {}).map(([command, target]) => {
    const name = basename(target, ".js");
    return [name, existing(folder, `src/${name}/main.ts`, `the command "${command}"`)];
  });
  return Object.fromEntries(entries) as Inputs;
}

/** Everything a package takes from elsewhere stays an import, and has to be declared. */
function externalOf(manifest: Manifest): (id: string) => boolean {
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
  return (id) => {
    if (id.startsWith(".") || id.startsWith("/") || id.startsWith("\0")) return false;
    if (id.startsWith("node:")) return true;
    if (declared.some((name) => id === name || id.startsWith(`${name}/`))) return true;
    throw new Error(`${manifest.name} imports "${id}" but its package.json declares no such dependency.`);
  };
}

function onwarn(log: RollupLog): void {
  if (log.code === "CIRCULAR_DEPENDENCY" || log.code === "EMPTY_BUNDLE") return;
  // A plugin's advice, such as a type worth exporting beside the function that answers with it.
  if (log.code === "PLUGIN_WARNING") {
    process.stderr.write(`${log.message}\n`);
    return;
  }
  throw new Error(`${log.code ?? "warning"}: ${log.message}`);
}

/** A line that lets a shell run the command; only commands start themselves, so only they get it. */
function shebang(commands: Inputs): Plugin {
  return {
    name: "shebang",
    transform: (code) => (code.startsWith("#!") ? { code: code.replace(/^#!.*/, ""), map: null } : null),
    renderChunk: (code, chunk) =>
      chunk.isEntry && chunk.name in commands ? { code: `#!/usr/bin/env node\n${code}`, map: null } : null,
  };
}

async function buildCode(folder: string, manifest: Manifest): Promise<void> {
  const commands = commandInputs(folder, manifest);
  const bundle = await rollup({
    input: { ...libraryInputs(folder, manifest), ...commands },
    external: externalOf(manifest),
    plugins: [shebang(commands), esbuild({ target: "es2022", tsconfig: false, jsx: "automatic" })],
    onwarn,
  });
  const { output } = await bundle.write({
    dir: join(folder, "dist"),
    format: "es",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await bundle.close();
  for (const { fileName } of output)
    if (basename(fileName, ".js") in commands) chmodSync(join(folder, "dist", fileName), 0o755);
}

async function buildDeclarations(folder: string, manifest: Manifest): Promise<void> {
  const bundle = await rollup({
    input: libraryInputs(folder, manifest),
    external: externalOf(manifest),
    plugins: [
      dts({
        tsconfig: join(folder, "tsconfig.json"),
        compilerOptions: {
          lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
          types: manifest.bin ? ["node"] : [],
        },
      }),
    ],
    onwarn,
  });
  await bundle.write({
    dir: join(folder, "dist"),
    format: "es",
    entryFileNames: "[name].d.ts",
    chunkFileNames: "chunks/[name]-[hash].d.ts",
  });
  await bundle.close();
}

const wanted = process.argv.slice(2);
const names = readdirSync(packages).filter((name) => wanted.length === 0 || wanted.includes(name));

for (const name of names) {
  const started = performance.now();
  const folder = join(packages, name);
  const manifest = readManifest(folder);
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  await buildCode(folder, manifest);
  await buildDeclarations(folder, manifest);
  process.stdout.write(`built ${manifest.name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}
