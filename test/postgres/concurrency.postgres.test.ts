import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { runConcurrency } from "../../.scripts/concurrency/run.ts";

const server = inject("postgres");
const url = "url" in server ? server.url : "";

describe("processes that write and read through PostgreSQL at the same time", { timeout: 120_000 }, () => {
  let schema: string;
  beforeEach(({ skip }) => {
    if ("absent" in server) skip(server.absent);
    schema = `concurrency_${randomBytes(6).toString("hex")}`;
  });
  afterEach(async () => {
    if (url === "") return;
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });
  const run = (blind: boolean) =>
    runConcurrency({
      ...{ url, schema, seed: 5, blind },
      ...{ writers: 3, readers: 2, seconds: 2, heldSeconds: 1.5 },
    });

  it("make one winner per version and miss no change, also behind transactions that stay open", async () => {
    const found = await run(false);
    expect(found.violations).toEqual([]);
    expect(found.commits).toBeGreaterThan(20);
    expect(found.beaten).toBeGreaterThan(0);
    expect(found.told).toBeGreaterThan(found.commits);
  });

  it("would be seen to miss changes if readers passed transactions that are open", async () => {
    const { violations } = await run(true);
    expect(violations).toContainEqual(expect.stringContaining("passed a transaction that wrote"));
    expect(violations).toContainEqual(expect.stringMatching(/^held: r\d\. was told nothing, not 1$/));
  });
});
