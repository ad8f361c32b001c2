/** Measures the PostgreSQL store in a process of its own. Its argument is a {@link StoresTask}, as JSON. */
import type { Commit, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Pool } from "pg";
import { startPostgres } from "../postgres.ts";
import { startInstalledPostgres } from "./installed-postgres.ts";
import type { StoresTask } from "./stores.ts";
import { changingCommits, creatingCommits } from "./stores-documents.ts";
import { findingText, median, peakMemory, perSecond, timesOf } from "./stores-figures.ts";
import { followFor } from "./stores-follow.ts";

/** Connections of either side, as many as the goal says. */
const connections = 8;

const task = JSON.parse(process.argv[2] ?? "{}") as StoresTask;
const given = process.env.FIELDROLL_TEST_POSTGRES;
const server = given
  ? { url: given, stop: async () => {} }
  : ((await startInstalledPostgres()) ?? (await startPostgres()));
const schema = `bench_${process.pid}`;
const raw = new Pool({ connectionString: server.url, max: connections });
// The server ends connections that are still closing when it stops.
raw.on("error", () => undefined);
try {
  await measureAll(task);
} finally {
  await raw.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP TABLE IF EXISTS raw_${schema}`);
  await raw.end();
  await server.stop();
}

async function measureAll({ records, rounds, seconds }: StoresTask): Promise<void> {
  const { rows } = await raw.query<{ version: string }>("SELECT version()");
  process.stdout.write(`     ${rows[0]?.version}\n`);
  const store = await openPostgresStore({ connectionString: server.url, schema, connections });
  const keys: string[] = [];
  const begin = performance.now();
  for await (const commit of creatingCommits(records, 1000)) {
    await mustCommit(store, commit);
    for (const { collection, key } of commit.put ?? []) if (collection === "Individual") keys.push(key);
  }
  process.stdout.write(`     filled with ${records} people: ${perSecond(records, begin).toFixed(0)}/s\n`);
  await fillRaw(records);
  await raw.query(`VACUUM ANALYZE`);
  let turn = 0;
  const next = (count: number) => Array.from({ length: count }, () => (turn = (turn + 7919) % records));
  for (const atOnce of [connections, 4 * connections]) {
    for (const change of ["phone", "name"] as const) {
      await compare(`commit of a PATCH (${change}), ${atOnce} at once`, 0.35, rounds, {
        ours: async () => {
          const commits = await changingCommits(store, next(1500 * seconds), change);
          return rateOf(commits.length, (nth) => mustCommit(store, commits[nth] ?? {}), atOnce);
        },
        raw: () => rateOf(3000 * seconds, () => rawUpsert(next(1)[0] ?? 0), atOnce),
      });
    }
  }
  await compare(`point read, body parsed, ${connections} connections`, 0.5, rounds, {
    ours: () =>
      rateOf(8000 * seconds, async () => {
        const [found] = await store.get([{ collection: "Individual", key: keys[next(1)[0] ?? 0] ?? "" }]);
        if (!found?.body) throw new Error("a record is missing");
      }),
    raw: () => rateOf(8000 * seconds, () => rawRead(next(1)[0] ?? 0)),
  });
  await feedRate(store, rounds, seconds);
  await queryTimes(store);
  await store.close();
  process.stdout.write(
    `     peak memory of the client ${peakMemory().toFixed(0)} MB at ${records} records\n`,
  );
}

async function mustCommit(store: Store, commit: Commit): Promise<void> {
  const result = await store.commit(commit);
  if (!result.ok) throw new Error(`a commit was refused: ${JSON.stringify(result.failures)}`);
}

/** Calls a second, as many at a time as there are connections, or more, of which some wait for one. */
async function rateOf(
  count: number,
  call: (nth: number) => Promise<unknown>,
  atOnce = connections,
): Promise<number> {
  const begin = performance.now();
  let begun = 0;
  const worker = async () => {
    while (begun < count) await call(begun++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return perSecond(count, begin);
}

async function fillRaw(records: number): Promise<void> {
  await raw.query(`CREATE TABLE raw_${schema} (key text PRIMARY KEY, body text NOT NULL)`);
  await raw.query(
    `INSERT INTO raw_${schema} SELECT '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), rpad('', 1500, 'x') FROM generate_series(0, $1::int - 1) n`,
    [records],
  );
}

let turns = 0;

function rawUpsert(number: number): Promise<unknown> {
  return raw.query(
    `INSERT INTO raw_${schema} (key, body) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET body = excluded.body`,
    [rawKey(number), `{"name":"${"x".repeat(1480)}","turn":${++turns}}`],
  );
}

function rawRead(number: number): Promise<unknown> {
  return raw.query(`SELECT body FROM raw_${schema} WHERE key = $1`, [rawKey(number)]);
}

function rawKey(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

interface Sides {
  ours(): Promise<number>;
  raw(): Promise<number>;
}

/** Interleaves both sides, so that whatever else the machine does concerns both. */
async function compare(name: string, goal: number, rounds: number, sides: Sides): Promise<void> {
  await sides.raw();
  await sides.ours();
  const rates: { readonly own: number; readonly limit: number }[] = [];
  for (let round = 0; round < rounds; round++)
    rates.push({ limit: await sides.raw(), own: await sides.ours() });
  const ratio = median(rates.map(({ own, limit }) => own / limit));
  const figures = `${median(rates.map(({ own }) => own)).toFixed(0)}/s of ${median(rates.map(({ limit }) => limit)).toFixed(0)}/s`;
  const value = `ratio ${ratio.toFixed(2)}`;
  process.stdout.write(findingText({ name, value, goal: `≥ ${goal}`, figures, reached: ratio >= goal }));
}

/** Beside a walk along the key that parses bodies and nothing else: what the same wire and the same parser can do. */
async function feedRate(store: Store, rounds: number, seconds: number): Promise<void> {
  const rates: { readonly own: number; readonly limit: number }[] = [];
  for (let round = 0; round < rounds; round++)
    rates.push({ limit: await walkRate(seconds), own: await followRate(store, seconds) });
  const rate = median(rates.map(({ own }) => own));
  const ratio = median(rates.map(({ own, limit }) => own / limit)).toFixed(2);
  const finding = {
    name: "feed pages of 500, bodies parsed",
    value: `${rate.toFixed(0)}/s`,
    goal: "≥ 50000/s",
    figures: `${rounds} rounds; ${ratio} of bare bodies, ${median(rates.map(({ limit }) => limit)).toFixed(0)}/s`,
    reached: rate >= 50_000,
  };
  process.stdout.write(findingText(finding));
}

async function followRate(store: Store, seconds: number): Promise<number> {
  const begin = performance.now();
  return perSecond(await followFor(store, seconds), begin);
}

async function walkRate(seconds: number): Promise<number> {
  const sql = `SELECT key, body FROM ${schema}.documents WHERE collection = 'Individual' AND key > $1 ORDER BY key LIMIT 500`;
  const begin = performance.now();
  let read = 0;
  let after = "";
  while (performance.now() - begin < seconds * 1000) {
    const { rows } = await raw.query<{ key: string; body: string }>(sql, [after]);
    for (const { body } of rows) if (JSON.parse(body)) read += 1;
    after = rows.length < 500 ? "" : (rows.at(-1)?.key ?? "");
  }
  return perSecond(read, begin);
}

/** Single queries, one at a time. */
async function queryTimes(store: Store): Promise<void> {
  const wheres = [
    { name: "contains in names", where: { index: "name", contains: "reba" } },
    { name: "prefix of names", where: { index: "name", prefix: "ma" } },
  ];
  for (const { name, where } of wheres) {
    const times: number[] = [];
    for (let nth = 0; nth < 60; nth++) {
      const begin = performance.now();
      await store.query({ collection: "Individual", where: [where], sort: { index: "name" }, limit: 20 });
      times.push(performance.now() - begin);
    }
    const { p50, p95 } = timesOf(times);
    process.stdout.write(`     ${name}, limit 20: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`);
  }
}
