import { posix } from "node:path";

/** What the rules need to know of a package. */
export interface PackageFacts {
  /** Public specifiers, such as `@fieldroll/core/testing`. */
  readonly specifiers: readonly string[];
  /** Source files of the public subpaths, from the root of the checkout. */
  readonly entries: readonly string[];
}

/** An import and where it stands. */
export interface Edge {
  /** The importing file, from the root of the checkout. */
  readonly from: string;
  readonly to: string;
}

const scope = "@fieldroll/";

/** Edges between packages as docs/architecture.md draws them. */
const packageEdges: Readonly<Record<string, readonly string[]>> = {
  core: [],
  storage: ["core"],
  server: ["core"],
  sync: ["core"],
};

/** Folders that may reach for one thing more than their package may, and why. */
const rims = [
  {
    folder: "packages/server/src/cli/",
    allows: /^@fieldroll\/storage\/(sqlite|postgres)$/,
    because: "the command line opens the databases that its options name",
  },
] as const;

/** Modules that only certain folders may import; the first match decides, and what has no rule may not be imported. */
const reserved = [
  {
    modules: /^node:/,
    folders: [
      "packages/server/src/node/",
      "packages/server/src/cli/",
      "packages/storage/src/sqlite/files.ts",
    ],
    because: "everything else has to run in a browser and in a worker as well",
  },
  {
    modules: /^(@hono\/node-server|commander|pino|pino-pretty)(\/|$)/,
    folders: ["packages/server/src/node/", "packages/server/src/cli/"],
    because: "the handler maps a Request to a Response on any host",
  },
  {
    modules: /^prom-client(\/|$)/,
    folders: ["packages/server/src/node/"],
    because: "the handler knows a source of figures, and not who gathers them",
  },
  {
    modules: /^jose(\/|$)/,
    folders: ["packages/server/src/oauth/"],
    because: "what a token means is decided in one place",
  },
  {
    modules: /^uuid$/,
    folders: ["packages/server/src/cli/", "packages/sync/src/host.ts"],
    because: "ids are passed in, by the command line or by the device's host",
  },
  {
    modules: /^zod(\/|$)/,
    folders: ["packages/core/src/"],
    because: "what a record may be is said once, by core's schemas",
  },
  {
    modules: /^immer$/,
    folders: ["packages/sync/src/client/"],
    because: "drafts are what a client's callers edit; values are read-only elsewhere",
  },
  {
    modules: /^react(-dom)?(\/|$)/,
    folders: ["packages/sync/src/react/"],
    because: "the engine serves apps of any framework",
  },
  {
    modules: /^(comlink|workbox-[\w-]+)(\/|$)/,
    folders: ["packages/sync/src/browser/"],
    because: "threads and service workers belong to the browser rim",
  },
  {
    modules: /^dexie(\/|$)/,
    folders: ["packages/storage/src/indexeddb/"],
    because: "each adapter brings its own client and no other's",
  },
  {
    modules: /^better-sqlite3$/,
    folders: ["packages/storage/src/sqlite/", "packages/server/src/cli/"],
    because: "each adapter brings its own client and no other's",
  },
  {
    modules: /^pg$/,
    folders: ["packages/storage/src/postgres/"],
    because: "each adapter brings its own client and no other's",
  },
  {
    modules: /^(vitest|fast-check)(\/|$)/,
    folders: ["packages/core/src/testing/"],
    because: "test tools must not reach an app",
  },
] as const;

const coreThirdParties = /^zod(\/|$)/;

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\/src\//.exec(path)?.[1];
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /\/test-support\//.test(path);
}

/** The folder that a file's relative imports may not leave. */
function homeOf(path: string): string {
  const inside = /^(packages\/[^/]+\/src|examples\/[^/]+)\//.exec(path);
  return inside ? `${inside[1]}/` : "";
}

function judgeRelative({ from, to }: Edge, facts: readonly PackageFacts[]): string | undefined {
  const target = posix.join(posix.dirname(from), to);
  const home = homeOf(from);
  if (home && !target.startsWith(home))
    return `${target} lies outside ${home}: import another package by its public name.`;
  if (!home && packageOf(target))
    return `${target} is inside a package: import one of its public subpaths instead.`;
  const entry = facts.flatMap(({ entries }) => entries).includes(target);
  if (entry && home && !isTest(from))
    return `${target} is an entry file, for callers from outside: import from the file that defines the name.`;
  if (from.startsWith("packages/server/src/") && !isTest(from)) return judgeServerRim(from, target);
  return undefined;
}

function judgeServerRim(from: string, target: string): string | undefined {
  const folder = /^packages\/server\/src\/(node|cli)\//;
  const importer = folder.exec(from)?.[1];
  const imported = folder.exec(target)?.[1];
  if (imported === undefined || importer === "cli" || importer === imported) return undefined;
  return `${target} belongs to the Node rim, which the handler must not know of.`;
}

function judgePackage({ from, to }: Edge, facts: readonly PackageFacts[]): string | undefined {
  if (!facts.some(({ specifiers }) => specifiers.includes(to)))
    return `"${to}" is no public subpath of a package: see "exports" in its package.json.`;
  const importer = packageOf(from);
  const imported = to.split("/")[1] ?? "";
  if (importer === undefined) return undefined;
  if (importer === imported)
    return isTest(from)
      ? undefined
      : `"${to}" is the package itself: import the defining file by its relative path.`;
  if (to === "@fieldroll/core/testing" && !isTest(from)) return `"${to}" is for tests.`;
  if (packageEdges[importer]?.includes(imported)) return undefined;
  if (rims.some(({ folder, allows }) => from.startsWith(folder) && allows.test(to))) return undefined;
  const exceptions = rims.map(
    ({ folder, allows, because }) => `${folder} may import ${allows.source}: ${because}`,
  );
  return (
    `${importer} may import ${packageEdges[importer]?.join(", ") || "no other package"}, not ${imported} ` +
    `(storage, server and sync never import each other; only ${exceptions.join("; ")}).`
  );
}

function judgeThirdParty({ from, to }: Edge): string | undefined {
  if (packageOf(from) === undefined || isTest(from)) return undefined;
  const rule = reserved.find(({ modules }) => modules.test(to));
  if (rule)
    return rule.folders.some((folder) => from.startsWith(folder))
      ? undefined
      : `"${to}" may be imported only in ${rule.folders.join(", ")}: ${rule.because}.`;
  if (packageOf(from) === "core" && !coreThirdParties.test(to))
    return `"${to}": core imports zod and nothing else, so that it runs on every host.`;
  return `"${to}" has no rule yet: say in test/architecture/import-rules.ts which folders may import it, and why.`;
}

/**
 * Judges one import by the edges that docs/architecture.md draws.
 *
 * @returns what is wrong and what to do instead, or undefined for an edge that is drawn.
 */
export function judgeImport(edge: Edge, facts: readonly PackageFacts[]): string | undefined {
  if (edge.to.startsWith(".")) return judgeRelative(edge, facts);
  if (edge.to.startsWith(scope)) return judgePackage(edge, facts);
  return judgeThirdParty(edge);
}
