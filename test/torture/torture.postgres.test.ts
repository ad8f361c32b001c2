import { describe, expect, inject, it } from "vitest";
import { namedServer, ownServer } from "../../.scripts/torture/postgres.ts";
import { torture } from "../../.scripts/torture/run.ts";
import type { Subject } from "../../.scripts/torture/subjects.ts";

const server = inject("postgres");

async function tortured(subject: Subject, kills: number) {
  try {
    return await torture({ subject, kills, seed: 4, wholeEvery: 2 });
  } finally {
    await subject.drop();
  }
}

describe("writers killed at random moments", () => {
  it("have lost nothing of a PostgreSQL store that they acknowledged, and left nothing in part", {
    timeout: 120_000,
  }, async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    const { acknowledged } = await tortured(await namedServer(server.url), 3);
    expect(acknowledged).toBeGreaterThan(3);
  });

  it("have lost nothing either where the server was killed with them", {
    timeout: 180_000,
  }, async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    const { acknowledged, serverKills } = await tortured(await ownServer(), 4);
    expect(acknowledged).toBeGreaterThan(3);
    expect(serverKills).toBeGreaterThan(0);
  });
});
