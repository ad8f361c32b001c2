import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { torture } from "../../.scripts/torture/run.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-torture-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("writers killed at random moments", () => {
  it("have lost nothing of a SQLite store that they acknowledged, and left nothing in part", {
    timeout: 120_000,
  }, async () => {
    const path = join(folder, "torture.db");
    const subject = { target: { kind: "sqlite", path }, drop: async () => undefined } as const;
    const { acknowledged } = await torture({ subject, kills: 5, seed: 4, wholeEvery: 2 });
    expect(acknowledged).toBeGreaterThan(5);
  });
});
