/**
 * Bundles what a field app loads and measures it: `npm run sizes`. Fails when a bundle outgrows its budget, or when it
 * holds anything of the server, of Node or of an SQLite client.
 */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildResult, build } from "esbuild";

interface Budget {
  readonly name: string;
  /** What is loaded together: a public subpath whole, or only the one name after the `#`. */
  readonly entries: readonly string[];
  /** Left out of the measure: third parties whose size is not ours to change. */
  readonly without: readonly string[];
  /** The most it may weigh, in kB (1,000 bytes) after minifying and gzip. */
  readonly most: number;
}

const thirdParties = ["dexie", "zod", "react", "react-dom"];

const budgets: readonly Budget[] = [
  { name: "the page", entries: ["@fieldroll/sync/page"], without: thirdParties, most: 12 },
  { name: "all of sync", entries: ["@fieldroll/sync"], without: thirdParties, most: 133 },
  { name: "sync in the worker", entries: ["@fieldroll/sync/worker"], without: thirdParties, most: 131 },
  { name: "sync in the service worker", entries: ["@fieldroll/sync/service-worker"], without: [], most: 12 },
  { name: "hooks", entries: ["@fieldroll/sync/react"], without: thirdParties, most: 5 },
  { name: "IndexedDB store", entries: ["@fieldroll/storage/indexeddb"], without: thirdParties, most: 13 },
  {
    name: "everything a field app loads",
    entries: ["@fieldroll/sync/page", "@fieldroll/sync/worker", "@fieldroll/storage/indexeddb"],
    without: ["react", "react-dom"],
    most: 212,
  },
];

/** The names are used, so that nothing a caller could reach is shaken off. */
function statement(entry: string, n: number): string {
  const [subpath, name] = entry.split("#");
  return `import ${name ? `{ ${name} as e${n} }` : `* as e${n}`} from "${subpath}"; globalThis.e${n} = e${n};`;
}

const foreign = /packages\/server\/|node_modules\/(better-sqlite3|hono|@hono|jose|commander|pino)\//;
const root = fileURLToPath(new URL("..", import.meta.url));

function bundle({ entries, without }: Budget): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: {
      contents: entries.map(statement).join("\n"),
      resolveDir: `${root}/examples/field-app`,
    },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["@fieldroll/source"],
    define: { "process.env.NODE_ENV": '"production"' },
    external: [...without],
    logLevel: "silent",
  });
}

/** @returns what is wrong with a bundle, one sentence each. */
async function judge(budget: Budget): Promise<string[]> {
  const { outputFiles, metafile } = await bundle(budget);
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  const size = bytes / 1000;
  process.stdout.write(`${size.toFixed(1).padStart(6)} kB of ${budget.most}  ${budget.name}\n`);
  const strangers = Object.keys(metafile.inputs).filter((path) => foreign.test(path));
  return [
    ...(size > budget.most
      ? [`"${budget.name}" weighs ${size.toFixed(1)} kB; its budget is ${budget.most} kB.`]
      : []),
    ...strangers.map((path) => `"${budget.name}" pulls in ${path}, which does not belong in a browser.`),
  ];
}

/** Node's own modules do not resolve for a browser, so importing one is a failed build. */
async function judgeOrExplain(budget: Budget): Promise<string[]> {
  try {
    return await judge(budget);
  } catch (error) {
    return [
      `"${budget.name}" can't be bundled for a browser: ${error instanceof Error ? error.message : error}`,
    ];
  }
}

const findings: string[] = [];
for (const budget of budgets) findings.push(...(await judgeOrExplain(budget)));
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.exitCode = findings.length ? 1 : 0;
