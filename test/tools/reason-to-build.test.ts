import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { reasonToBuild } from "../../.scripts/reason-to-build.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-build-"));
  await mkdir(join(folder, "src"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, second: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, "");
  await utimes(path, second, second);
  return path;
}

it("tells a first build from one of newer sources", async () => {
  await file("src/a.ts", 10);
  const build = join(folder, "index.html");
  const reason = () => reasonToBuild(build, [join(folder, "src")]);
  expect(reason()).toMatch(/^for the first time/);
  await file("index.html", 20);
  expect(reason()).toBeUndefined();
  await file("src/b.ts", 30);
  expect(reason()).toBe("its sources are newer than its build");
});
