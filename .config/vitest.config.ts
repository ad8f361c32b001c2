import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { chromiumSwitches, findChromium } from "../test/browser/chromium.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const executablePath = findChromium();

const inChromium = ["packages/**/*.chromium.test.ts"];
const simulated = ["test/simulation/**/*.test.ts"];
const onPostgres = ["packages/**/*.postgres.test.ts", "test/**/*.postgres.test.ts"];
/**
 * Those of the contract's tests that are not run on PostgreSQL as well: they start processes of their own, look at what no
 * store has a part in, or send what a connection between two processes would not carry.
 */
const withoutStore = ["command-line*", "docs-page", "openapi*", "http", "hostile"].map(
  (name) => `test/contract/${name}.test.ts`,
);
const everywhere = ["**/node_modules/**", "**/dist/**"];

/** Packages resolve to their sources, so that no test needs a build. */
const fromSource = {
  root,
  resolve: { conditions: ["@fieldroll/source", "module", "browser", "development|production"] },
  ssr: {
    resolve: {
      conditions: ["@fieldroll/source", "module", "node", "development|production"],
      externalConditions: ["@fieldroll/source", "node"],
    },
  },
};

/**
 * Files at a time: one for each processor. By itself vitest leaves one processor out, which is half of a machine with two. The
 * browser's stories come after all else: they measure a person's patience.
 */
const inParallel = { maxWorkers: availableParallelism() };

/**
 * Files of one worker share its modules, which are loaded once: most of these take longer to load than to run. What a test puts in
 * the place of something is taken away after it.
 */
const withoutReloading = {
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
} as const;

/** What is polled may be late where other files are at work beside, or types are checked: the runner's own second says nothing then. */
const patient = { expect: { poll: { timeout: 15_000 } } };

const node: TestProjectConfiguration = {
  ...fromSource,
  test: {
    ...inParallel,
    ...withoutReloading,
    ...patient,
    name: "node",
    include: ["packages/**/*.test.{ts,tsx}", "examples/**/*.test.{ts,tsx}", "test/**/*.test.ts"],
    exclude: [...everywhere, ...inChromium, ...onPostgres, ...simulated, "test/browser/**"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
};

/** Minutes of the same code each, which goes slower where hundreds of other files ran before. */
const simulation: TestProjectConfiguration = {
  ...fromSource,
  test: { ...inParallel, name: "simulation", include: simulated, testTimeout: 20_000, hookTimeout: 60_000 },
};

const postgres: TestProjectConfiguration = {
  ...fromSource,
  test: {
    ...withoutReloading,
    ...patient,
    name: "postgres",
    // On one server all feeds wait for a transaction that is held open, as one file of these does on purpose.
    fileParallelism: false,
    maxWorkers: 1,
    sequence: { groupOrder: 1 },
    include: [...onPostgres, "test/contract/*.test.ts"],
    exclude: [...everywhere, ...withoutStore],
    globalSetup: [".config/postgres-server.ts", "test/postgres/pair.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

const chromium: TestProjectConfiguration = {
  ...fromSource,
  optimizeDeps: { include: ["dexie", "zod", "zod/v4/core", "immer", "fast-check"] },
  test: {
    ...inParallel,
    ...patient,
    name: "chromium",
    include: inChromium,
    exclude: everywhere,
    testTimeout: 60_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: { ...(executablePath ? { executablePath } : {}), args: [...chromiumSwitches] },
      }),
      instances: [{ browser: "chromium" }],
    },
  },
};

const chromiumAbsent: TestProjectConfiguration = {
  ...fromSource,
  test: { ...inParallel, name: "chromium", include: [".config/chromium-absent.ts"] },
};

const story: TestProjectConfiguration = {
  ...fromSource,
  test: {
    ...patient,
    name: "browser-story",
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/stage/demonstration.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    maxWorkers: 1,
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig({
  root,
  test: { projects: [node, simulation, postgres, executablePath ? chromium : chromiumAbsent, story] },
});
