import { expect, it } from "vitest";
import { openPostgresStore, type PostgresOptions } from "./index.ts";

const connectionString = "postgres://registry@127.0.0.1:1/registry";
const address = "connectionString must be text of the form postgres://user:password@host:port/database.";

it.each<[string, unknown, string]>([
  ["nothing", undefined, address],
  ["no options", {}, address],
  ["a bare address", connectionString, address],
  ["an address that is no text", { connectionString: 5 }, address],
  ["a schema that is no text", { connectionString, schema: 5 }, "schema must be the name of a schema."],
  ["a create that is a text", { connectionString, create: "no" }, "create must be true or false."],
  [
    "one index without a list",
    { connectionString, substringIndexes: "name" },
    'substringIndexes must be a list of the names of indexes, such as ["name"].',
  ],
])("refuses %s with what it must be, and reaches for no server", async (_, options, sentence) => {
  await expect(openPostgresStore(options as PostgresOptions)).rejects.toMatchObject({
    code: "bad-request",
    message: `openPostgresStore: ${sentence}`,
  });
});

it.each([2 ** 31, Number.POSITIVE_INFINITY, 0, 1.5])(
  "refuses a statementTimeout of %s",
  async (statementTimeout) => {
    await expect(openPostgresStore({ connectionString, statementTimeout })).rejects.toMatchObject({
      code: "bad-request",
      message: `statementTimeout is ${statementTimeout}; give a whole number, from 1 to 2147483647.`,
    });
  },
);
