import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { readOptions } from "../options.ts";
import { ownServer } from "../torture/postgres.ts";
import { runConcurrency } from "./run.ts";

const usage = `npm run concurrency -- [--seconds 60] [--writers 8] [--readers 4] [--seed N] [--url postgres://…] [--blind]

Processes write through PostgreSQL while others follow the feed, also with transactions held open on purpose; then what was acknowledged,
what is stored and what each reader was told are compared. Ends with 1 when anything does not agree. Runs on a server of its own, or on
the one named, in a schema that is dropped afterwards. --blind lets readers ignore open transactions, to show that the comparison notices.`;

const { values } = readOptions(usage, {
  numbers: ["seconds", "writers", "readers", "seed"],
  options: {
    seconds: { type: "string", default: "60" },
    writers: { type: "string", default: "8" },
    readers: { type: "string", default: "4" },
    seed: { type: "string", default: String(process.pid) },
    url: { type: "string" },
    blind: { type: "boolean", default: false },
  },
});
const [seconds, writers, readers, seed] = [values.seconds, values.writers, values.readers, values.seed].map(
  Number,
) as [number, number, number, number];
const schema = `concurrency_${randomBytes(6).toString("hex")}`;
const own = values.url === undefined ? await ownServer() : undefined;
const url = values.url ?? (own?.target.kind === "postgres" ? own.target.url : "");
let failed = true;
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`${writers} processes write and ${readers} follow the feed for ${seconds} s, seed ${seed}`);
try {
  const heldSeconds = Math.max(2, Math.round(seconds / 6));
  const order = { url, schema, seed, writers, readers, seconds, heldSeconds, blind: values.blind };
  const found = await runConcurrency({ ...order, tell: (line) => say(`  ${line}`) });
  say(`${found.commits} commits, ${found.beaten} beaten by another writer, ${found.told} changes told`);
  for (const violation of found.violations.slice(0, 20)) say(`  ${violation}`);
  if (found.violations.length > 0) {
    say(`${found.violations.length} violations`);
  } else {
    failed = false;
    say(
      "one winner per version, none skipped or repeated; every reader was told the last state of every document, in order",
    );
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
} finally {
  if (own) await own.drop();
  else await dropSchema();
  // The package that runs the server sets a status of its own.
  process.exit(failed ? 1 : 0);
}

async function dropSchema(): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}
