/**
 * `npm run bench -- http`: measures the server against the least that the same work can cost on this machine, in the
 * same minutes, and prints ratios. Options: --records (default 100000), --rounds (5), --seconds (2) of a measurement,
 * --only get|patch|search|pages, --profile <folder> for CPU profiles of the server.
 *
 * `npm run bench -- stores`: the same for the stores. Options: --rounds, --seconds, --only sqlite, bulk (of SQLite), postgres or indexeddb, --large for a million
 * records as well, and --flush <milliseconds> for a disk that takes so much longer to say that it has what was written.
 *
 * `npm run bench -- indexeddb`: the IndexedDB store in a Chromium with its profile on disk. Options: --records, --rounds, and
 * --only with a part of a measurement's name: landing, edits, queries, similar.
 *
 * `npm run bench -- sync`: the sync engine in such a Chromium, against a real server and beside peers. Options: --records
 * (default 10000), --rounds, --only with a part of a measurement's name (sync.ts lists them), and --profile <folder> for
 * CPU profiles of server and worker instead.
 */
import { parseArgs } from "node:util";
import { benchHttp } from "./http.ts";
import { benchIndexedDb } from "./indexeddb.ts";
import { benchStores } from "./stores.ts";
import { benchSync } from "./sync.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    profile: { type: "string" },
    only: { type: "string" },
    large: { type: "boolean", default: false },
    flush: { type: "string", default: "0" },
  },
});

type Bench = typeof benchHttp | typeof benchStores | typeof benchIndexedDb | typeof benchSync;
const benches: Readonly<Record<string, Bench>> = {
  http: benchHttp,
  stores: benchStores,
  indexeddb: benchIndexedDb,
  sync: benchSync,
};
const name = positionals[0] ?? "http";
const bench = benches[name];
if (!bench) {
  process.stderr.write(`There is no bench ${name}. There is: ${Object.keys(benches).join(", ")}.\n`);
  process.exit(1);
}
await bench({
  records: Number(values.records ?? (bench === benchSync ? 10_000 : 100_000)),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  large: values.large,
  flush: Number(values.flush),
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(values.profile === undefined ? {} : { profile: values.profile }),
});
