import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describeStore } from "@fieldroll/core/testing";
import { describe, expect, it } from "vitest";
import type { SqliteClient } from "./index.ts";
import { sqliteHarness } from "./test-support/harness.ts";

/** `node:sqlite`, as far as this needs it: the types are those of Node 20. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => SqliteClient;
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const file = "packages/storage/src/sqlite/node-sqlite.test.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** The command of a Node that has `node:sqlite`: one that is named, or one that npx has already. Nothing is fetched. */
function newerNode(): readonly string[] | undefined {
  const named = process.env.FIELDROLL_TEST_NODE;
  const commands = [...(named ? [[named]] : []), ["npx", "--offline", "-y", "-p", "node@22", "node"]];
  return commands.find(([command = "", ...rest]) => {
    const asked = spawnSync(command, [...rest, "-p", "Boolean(process.getBuiltinModule('node:sqlite'))"], {
      cwd: root,
    });
    return asked.status === 0 && asked.stdout.toString().trim() === "true";
  });
}

if (major > 22 || (major === 22 && minor >= 13)) {
  const { getBuiltinModule } = process as unknown as { getBuiltinModule(name: string): NodeSqlite };
  const { DatabaseSync } = getBuiltinModule("node:sqlite");
  describeStore(
    "SQLite through node:sqlite",
    sqliteHarness((path) => new DatabaseSync(path), 5000),
  );
} else {
  const node = newerNode();
  const missing =
    "needs Node 22.13 or later; name one with FIELDROLL_TEST_NODE, or fetch one: npx -y -p node@22 node -v";
  describe("SQLite through node:sqlite", () => {
    it.skipIf(!node)(
      node
        ? "keeps every promise of the port under a newer Node"
        : `keeps every promise of the port (${missing})`,
      { timeout: 600_000 },
      () => {
        const [command = "", ...rest] = node ?? [];
        const vitest = [
          "node_modules/vitest/vitest.mjs",
          "run",
          "--config",
          ".config/vitest.config.ts",
          "--project",
          "node",
          file,
        ];
        const ran = spawnSync(command, [...rest, ...vitest], {
          cwd: root,
          encoding: "utf8",
          env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
        });
        expect(ran.status, `${ran.stdout}\n${ran.stderr}`).toBe(0);
        expect(ran.stdout).toMatch(/Tests +\d{2,} passed/);
      },
    );
  });
}
