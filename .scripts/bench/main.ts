import { readOptions } from "../options.ts";
import { benchHttp } from "./http.ts";
import { benchIndexedDb } from "./indexeddb.ts";
import { benchStores } from "./stores.ts";
import { benchSync } from "./sync.ts";
import { benchWorst } from "./worst.ts";

const usage = `npm run bench -- [http|stores|indexeddb|sync|worst]: measures Fieldroll against the least that the same work can cost on this machine, and against
peers, in the same minutes, and prints ratios.

http (or nothing): the server. --records 100000, --rounds 5, --seconds 2 of a measurement, --only get|patch|search|pages,
  --profile <folder> for CPU profiles of the server.
stores: the stores. --records, --rounds, --seconds, --only sqlite|bulk (of SQLite)|postgres|indexeddb, --large for a million records as
  well, --flush <milliseconds> for a disk that takes so much longer to say that it has what was written.
indexeddb: the IndexedDB store in a Chromium with its profile on disk. --records, --rounds, --only with a part of a measurement's name:
  landing, edits, queries, similar.
sync: the sync engine in such a Chromium, against a real server and beside peers. --records 10000, --rounds, --only with a part of a
  measurement's name: size, first, heap, cold, edits, traffic, push; --profile <folder> for CPU profiles of server and worker instead.
worst: what each kind of request costs each kind of client on SQLite, and how long it keeps others waiting, the worst first. --records,
  --only search or a part of a path, --database <file> to keep the database for the next run.`;

const { values, positionals } = readOptions(usage, {
  names: true,
  numbers: ["records", "rounds", "seconds", "flush"],
  options: {
    records: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    profile: { type: "string" },
    only: { type: "string" },
    database: { type: "string" },
    large: { type: "boolean", default: false },
    flush: { type: "string", default: "0" },
  },
});

type Bench =
  | typeof benchHttp
  | typeof benchStores
  | typeof benchIndexedDb
  | typeof benchSync
  | typeof benchWorst;
const benches: Readonly<Record<string, Bench>> = {
  http: benchHttp,
  stores: benchStores,
  indexeddb: benchIndexedDb,
  sync: benchSync,
  worst: benchWorst,
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
  ...(values.database === undefined ? {} : { database: values.database }),
  ...(values.profile === undefined ? {} : { profile: values.profile }),
});
