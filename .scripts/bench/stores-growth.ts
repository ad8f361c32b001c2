import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@fieldroll/core";
import { loadSqliteStore, openSqliteStore } from "@fieldroll/storage/sqlite";
import { person } from "./seed.ts";
import { changingCommits, creatingCommits } from "./stores-documents.ts";
import { peakMemory, type Times, timesOf } from "./stores-figures.ts";

/** What calls cost on a register of one size. */
export interface Growth {
  readonly records: number;
  readonly times: Readonly<Record<string, Times>>;
  /** In megabytes. */
  readonly memory: number;
  readonly file: number;
}

/** In so many names that they fill a page in a register of any size; and families of as many people as a page has, of the syllables of all others. */
const names = {
  common: ["reba", "Mali", "to pa", "zaba", "gupa"],
  rare: ["Vizalogu", "Naloreba", "Yuminato", "Saparemi", "Litomaza"],
};
const page = 20;

/** People as all benches have them, with such families among them, here and there. */
function personAmong(records: number): (number: number) => object {
  const apart = Math.floor(records / (names.rare.length * page));
  return (number) => {
    const usual = person(number);
    const nth = number / apart;
    const family =
      Number.isInteger(nth) && nth < names.rare.length * page && names.rare[nth % names.rare.length];
    return family ? { ...usual, name: { ...usual.name, family } } : usual;
  };
}

/** A register of one size that was filled, is open, and has answered each call for a while. */
export interface GrowthSubject {
  readonly records: number;
  readonly calls: readonly string[];
  /** Times of one call made some hundred times, in milliseconds. */
  measure(call: string): Promise<readonly number[]>;
  end(): Promise<Pick<Growth, "memory" | "file">>;
}

/** Fills a store, and opens it anew. */
export async function growthSubject(folder: string, records: number): Promise<GrowthSubject> {
  const path = join(folder, `growth ${records}.db`);
  const keys = await filled(path, records);
  await readThrough(path);
  const store = await openSqliteStore({ path });
  const made = calls({ store, records, keys });
  const measure = async (name: string) => {
    const times: number[] = [];
    for (const call of (await made[name]?.(400)) ?? []) {
      const begin = performance.now();
      await call();
      times.push(performance.now() - begin);
    }
    return times;
  };
  for (const name of Object.keys(made)) await measure(name);
  const end = async () => {
    await store.close();
    return { memory: peakMemory(), file: (await stat(path)).size / 1e6 };
  };
  return { records, calls: Object.keys(made), measure, end };
}

/** Measures the sizes in turns, so that whatever else the machine does concerns all. */
export async function growthOf(
  subjects: readonly GrowthSubject[],
  rounds: number,
): Promise<readonly Growth[]> {
  const times = subjects.map((): Record<string, Times> => ({}));
  for (const call of subjects[0]?.calls ?? []) {
    const found: number[][] = subjects.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (const [nth, subject] of subjects.entries()) found[nth]?.push(...(await subject.measure(call)));
    for (const [nth, all] of times.entries()) all[call] = timesOf(found[nth] ?? []);
  }
  const growths: Growth[] = [];
  for (const [nth, { records, end }] of subjects.entries())
    growths.push({ records, times: times[nth] ?? {}, ...(await end()) });
  return growths;
}

async function filled(path: string, records: number): Promise<readonly string[]> {
  const keys: string[] = [];
  async function* documents() {
    for await (const { put = [] } of creatingCommits(records, 1000, personAmong(records))) {
      yield put;
      for (const { collection, key } of put) if (collection === "Individual") keys.push(key);
      if (keys.length % 50_000 === 0) process.stderr.write(`filled ${keys.length} of ${records}\n`);
    }
  }
  await loadSqliteStore({ path, documents: documents() });
  return keys;
}

/** A service that has run for a while finds its file in the system's memory: what a disk takes is no matter of the register's size. */
async function readThrough(path: string): Promise<void> {
  for await (const _ of createReadStream(path, { highWaterMark: 1 << 20 }));
}

type Call = () => Promise<unknown>;

/** Each measured call, made ready so many times. */
function calls({
  store,
  records,
  keys,
}: {
  readonly store: Store;
  readonly records: number;
  readonly keys: readonly string[];
}): Readonly<Record<string, (count: number) => Promise<readonly Call[]>>> {
  let turn = 0;
  const next = (count: number) => Array.from({ length: count }, () => (turn = (turn + 7919) % records));
  const search = (kind: keyof typeof names, nth: number) => () => {
    const contains = (names[kind][nth % names[kind].length] ?? "").toLowerCase();
    const where = [{ index: "name", contains }];
    return store.query({ collection: "Individual", where, sort: { index: "name" }, limit: page });
  };
  return {
    "point read": async (count) =>
      next(count).map((number) => () => store.get([{ collection: "Individual", key: keys[number] ?? "" }])),
    "commit of a PATCH (phone)": async (count) => {
      const commits = await changingCommits(store, next(count), "phone");
      return commits.map((commit) => () => store.commit(commit));
    },
    "commit of a PATCH (name)": async (count) => {
      const commits = await changingCommits(store, next(count), "name");
      return commits.map((commit) => () => store.commit(commit));
    },
    "name search of 20, common": async (count) => next(count).map((nth) => search("common", nth)),
    "name search of 20, rare": async (count) => next(count).map((nth) => search("rare", nth)),
    "feed page of 500": async (count) => {
      const { next: first } = await store.changes({ feed: "all", limit: 1 });
      const [id] = first.split(".");
      return next(Math.ceil(count / 10)).map((number) => () => {
        return store.changes({ feed: "all", cursor: `${id}.${number}`, limit: 500 });
      });
    },
  };
}

/** A row for each call, with its growth from the first size to the last, which is to stay within one and a half. */
export function growthTable(all: readonly Growth[]): string {
  const [first, last] = [all[0], all.at(-1)];
  const rows = Object.keys(first?.times ?? {}).map((name) => {
    const cells = all.map(({ times }) => text(times[name]));
    const growth = (part: keyof Times) =>
      (last?.times[name]?.[part] ?? 0) / (first?.times[name]?.[part] ?? 1);
    const reached = Math.max(growth("p50"), growth("p95")) <= 1.5;
    const grown = `growth ${growth("p50").toFixed(2)} / ${growth("p95").toFixed(2)}`;
    return `${reached ? "ok  " : "MISS"} ${[name.padEnd(26), ...cells, grown].join(" | ")}\n`;
  });
  const head = ["p50 / p95 in ms".padEnd(26), ...all.map(({ records }) => `${records} records`.padEnd(15))];
  const memory = all.map(
    (one) =>
      `     ${one.records} records: file ${one.file.toFixed(0)} MB, peak memory ${one.memory.toFixed(0)} MB\n`,
  );
  return `     ${head.join(" | ")} | goal ≤ 1.50\n${rows.join("")}${memory.join("")}`;
}

function text(times: Times | undefined): string {
  return times ? `${times.p50.toFixed(3)} / ${times.p95.toFixed(3)}`.padEnd(15) : "";
}
