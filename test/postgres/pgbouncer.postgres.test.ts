import { describeStore } from "@fieldroll/core/testing";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  findPgbouncer,
  installsPgbouncer,
  type Pooler,
  pgbouncerMissing,
  startPgbouncer,
} from "./pgbouncer.ts";
import { postgresHarness } from "./suite-harness.ts";

const server = inject("postgres");
const program = findPgbouncer();

describe("whether PgBouncer is installed for the tests", () => {
  const machine = { canInstall: true, hasPgbouncer: false };
  const cases = [
    { name: "all tests, where there is none", expected: true },
    { name: "tests on PostgreSQL alone", args: ["--project=postgres"], expected: true },
    { name: "tests that need no database", args: ["--project=node"], expected: false },
    { name: "where there is one", on: { ...machine, hasPgbouncer: true }, expected: false },
    { name: "without the right to install", on: { ...machine, canInstall: false }, expected: false },
    { name: "where it is not wanted", env: { FIELDROLL_PGBOUNCER: "none" }, expected: false },
  ];
  it.each(cases)("$name: $expected", ({ args = [], env = {}, on = machine, expected }) => {
    expect(installsPgbouncer(args, env, on)).toBe(expected);
  });
});

if ("absent" in server || program === undefined) {
  const reason = "absent" in server ? server.absent : pgbouncerMissing;
  describe("PostgreSQL behind PgBouncer in transaction mode", () => {
    it("keeps the promises of a store", ({ skip }) => skip(reason));
  });
} else {
  let pooler: Pooler | undefined;
  beforeAll(async () => {
    pooler = await startPgbouncer(program, server.url);
  });
  afterAll(() => pooler?.stop());

  // How a full store is read is the same here as without a pooler.
  const harness = postgresHarness({
    stores: () => pooler?.url ?? "",
    drops: server.url,
    documents: 5_000,
  });
  describeStore("PostgreSQL behind PgBouncer in transaction mode", harness);
}
