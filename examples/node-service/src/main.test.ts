import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-node-service-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(database: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const node = ["--import", "tsx", "--conditions=@fieldroll/source"];
  const env = { ...process.env, ...more };
  const { stdout } = await promisify(execFile)(process.execPath, [...node, main, database], { env });
  return stdout.trim().split("\n");
}

describe("the embedding service", { timeout: 60_000 }, () => {
  it("registers, enrolls, finds and merges, and finds it all again at the next start", async () => {
    const database = join(folder, "register.db");
    const [registered, ...rest] = await run(database);
    expect(registered).toMatch(
      /^registered Individual\/urn:example:person\|P-1, .*, Group\/urn:service:group\|H-1001, ProgramMembership\/\S+$/,
    );
    expect(rest).toEqual([
      "found Reyes family, 2 members",
      "first clerk: saved version 2",
      "second clerk: merged, Ana Reyes Cruz born 1988-04-02",
      'third clerk: /birthDate is "1988-04-02" by now, not "1990-01-01"; ask',
    ]);
    expect((await run(database)).slice(0, 3)).toEqual([
      "already registered: Reyes family",
      "found Reyes family, 2 members",
      "first clerk: saved version 4",
    ]);
  });

  it("takes a path from the folder in which npm was called", async () => {
    await run("called-here.db", { INIT_CWD: folder });
    expect(existsSync(join(folder, "called-here.db"))).toBe(true);
  });

  it("says that a file is no database of its own", async () => {
    const diary = join(folder, "diary.txt");
    await writeFile(diary, "Dear diary, ".repeat(200));
    await expect(run(diary)).rejects.toThrow(`${diary}: this is no SQLite database`);
  });
});
