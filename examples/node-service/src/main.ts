/**
 * A service that keeps a register in a file of its own, without HTTP:
 * `npm start -w @fieldroll/example-node-service -- register.db`
 */
import { resolve } from "node:path";
import { createRegistry, operator } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 as newId } from "uuid";
import { tellStory } from "./story.ts";

// npm runs this in the example's folder; whoever names a file means the one they called npm in.
const path = resolve(process.env.INIT_CWD ?? ".", process.argv[2] ?? "register.db");
const store = await openSqliteStore({ path });
try {
  const registry = createRegistry({ store, newId, clock: () => new Date() }).as(operator);
  await tellStory(registry, (line) => process.stdout.write(`${line}\n`));
} finally {
  await store.close();
}
