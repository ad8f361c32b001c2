import { createBudget, createLongReads, createMemoryStore, RegistryError, unwrap } from "@fieldroll/core";
import { createTestRegistry } from "@fieldroll/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveForTest } from "../serve.ts";

const people = 2_600;

async function filled(store = createMemoryStore()) {
  const test = createTestRegistry({ store });
  for (let at = 0; at < people; at += 100) {
    const entries = Array.from({ length: 100 }, (_, nth) => ({
      verb: "create" as const,
      type: "Individual" as const,
      body: {
        type: "Individual",
        identifier: [{ system: "urn:p", value: String(at + nth) }],
        name: { family: "Reyes" },
        gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] },
      },
    }));
    unwrap(await test.view.transaction(entries));
  }
  return test;
}

describe("requests that look through many records", () => {
  let test: Awaited<ReturnType<typeof filled>>;
  beforeAll(async () => {
    test = await filled();
  }, 120_000);

  const budgetWith = (longReads: ReturnType<typeof createLongReads>) =>
    createBudget({ records: 1e6, bytes: 1e9, milliseconds: 1e6, elapsed: () => 0, longReads });

  it.each([
    ["a search that finds nobody", (view: typeof test.view) => view.individuals.search({ role: "spouse" })],
    [
      "a bundle of them",
      (view: typeof test.view) =>
        view.batch({
          resourceType: "Bundle",
          type: "batch",
          entry: [{ request: { method: "GET", url: "Individual?role=spouse" } }],
        }),
    ],
  ])("are refused where two are under way: %s", async (_what, ask) => {
    const longReads = createLongReads(2);
    const [first, second, third] = [1, 2, 3].map(() => budgetWith(longReads));
    first?.spendRecords(3_000);
    second?.spendRecords(3_000);
    const asking = async () => {
      const outcome = await ask(test.as({}, third ? { budget: third } : {}));
      if (outcome.ok && "responses" in outcome.value) return outcome.value.responses[0]?.status;
      return outcome.ok ? 200 : outcome.problem.kind;
    };
    const refused = await asking().catch((error) => error instanceof RegistryError && error.problem.kind);
    expect([429, "too-many-requests"]).toContain(refused);
    first?.close();
    expect(await asking()).toBe(200);
  });

  it("leave a short search to anybody", async () => {
    const longReads = createLongReads(0);
    const view = test.as({}, { budget: budgetWith(longReads) });
    expect(unwrap(await view.individuals.search({ name: "rey", limit: "500" })).data).toHaveLength(500);
  });
});

describe("a server", () => {
  let served: Awaited<ReturnType<typeof serveForTest>>;
  let headers: Record<string, string>;
  beforeAll(async () => {
    const store = createMemoryStore();
    await filled(store);
    served = await serveForTest(store);
    const { id, secret } = served.clients.office;
    const answer = await fetch(new URL("/oauth2/token", served.url), {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret }),
    });
    headers = { Authorization: `Bearer ${(await answer.json()).access_token}` };
  }, 120_000);
  afterAll(() => served.close());

  it("answers each of many scans at once, with 429 and Retry-After beyond two, and goes on for everybody", async () => {
    const scan = () => fetch(`${served.url}/Individual?role=spouse&limit=500`, { headers });
    const answers = await Promise.all(Array.from({ length: 12 }, scan));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    for (const { status, headers: told } of answers) {
      expect([200, 429]).toContain(status);
      if (status === 429) expect(told.get("Retry-After")).toMatch(/^\d+$/);
    }
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect((await scan()).status).toBe(200);
  });
});
