/**
 * `npm run bench -- http`: measures the server against the least that the same work can cost on this machine, in the
 * same minutes, and prints ratios. Options: --records (default 100000), --rounds (5), --seconds (2) of a measurement,
 * --only get|patch|search|pages, --profile <folder> for CPU profiles of the server.
 *
 * `npm run bench -- stores`: the same for the stores. Options: --rounds, --seconds, --only sqlite, postgres or indexeddb, and --large for a million
 * records as well.
 *
 * `npm run bench -- indexeddb`: the IndexedDB store in a Chromium with its profile on disk. Options: --records, --rounds, and
 * --only with a part of a measurement's name: landing, edits, queries.
 */
import { parseArgs } from "node:util";
import { benchHttp } from "./http.ts";
import { benchIndexedDb } from "./indexeddb.ts";
import { benchStores } from "./stores.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: "string", default: "100000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    profile: { type: "string" },
    only: { type: "string" },
    large: { type: "boolean", default: false },
  },
});

const benches: Readonly<Record<string, typeof benchHttp | typeof benchStores | typeof benchIndexedDb>> = {
  http: benchHttp,
  stores: benchStores,
  indexeddb: benchIndexedDb,
};
const bench = benches[positionals[0] ?? "http"];
if (!bench) {
  process.stderr.write(
    `There is no bench ${positionals[0]}. There is: ${Object.keys(benches).join(", ")}.\n`,
  );
  process.exit(1);
}
await bench({
  records: Number(values.records),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  large: values.large,
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(values.profile === undefined ? {} : { profile: values.profile }),
});
