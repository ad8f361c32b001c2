/**
 * A service that keeps a register in a file of its own, without HTTP:
 * `npm start -w @fieldroll/example-node-service -- register.db`
 */
import { createRegistry, operator } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 as newId } from "uuid";
import { tellStory } from "./story.ts";

const store = await openSqliteStore({ path: process.argv[2] ?? "register.db" });
try {
  const registry = createRegistry({ store, newId, clock: () => new Date() }).as(operator);
  await tellStory(registry, (line) => process.stdout.write(`${line}\n`));
} finally {
  await store.close();
}
