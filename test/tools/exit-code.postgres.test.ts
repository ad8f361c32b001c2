import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";

it("A process that has started a PostgreSQL server ends with its own exit status", ({ skip }) => {
  const server = inject("postgres");
  if ("absent" in server) return skip(server.absent);
  const program = `
    import { startPostgres } from "./.scripts/postgres.ts";
    const server = await startPostgres();
    await server.stop();
    process.exitCode = 3;`;
  const { status } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  expect(status).toBe(3);
}, 120_000);
