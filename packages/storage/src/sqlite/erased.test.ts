import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pastAll } from "../text.ts";
import { backupSqliteStore } from "./backup.ts";
import { codesOf } from "./codes.ts";
import { openSqliteStore } from "./open.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-erased-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** Keys in no order, so that the trees are balanced at many places. */
const keyOf = (nth: number) => `${((nth * 2_654_435_761) >>> 0).toString(16).padStart(8, "0")}-${nth}`;
const secretOf = (kind: string, nth: number) => `${kind}${((nth + 1) * 7_919_317).toString(36)}secret`;
/** Characters whose codes no other name has. */
const charactersOf = (nth: number) => String.fromCodePoint(0x4e00 + nth).repeat(5);
const trigramOf = (nth: number) => codesOf(`${charactersOf(nth)}${pastAll}`).slice(0, 6);

const person = (nth: number) => ({
  ...{
    collection: "person",
    key: keyOf(nth),
    version: 1,
    claims: [`urn|${secretOf("claim", nth)}`],
    feeds: ["all"],
  },
  body: { name: secretOf("body", nth), more: "y".repeat((nth * 53) % 700) },
  entries: { name: [`${secretOf("name", nth)}${charactersOf(nth)}${"z".repeat((nth * 31) % 60)}`] },
});

it("a copy has nothing of those who were removed but trigrams, and has none once it is rebuilt", async () => {
  const [path, to] = [join(folder, "a.db"), join(folder, "copy.db")];
  const all = Array.from({ length: 1000 }, (_, nth) => nth);
  const gone = all.filter((nth) => nth % 4 === 1);
  const store = await openSqliteStore({ path, durability: "normal" });
  for (let nth = 0; nth < all.length; nth += 10)
    await store.commit({ put: all.slice(nth, nth + 10).map(person) });
  for (let nth = 0; nth < gone.length; nth += 5)
    await store.commit({ remove: gone.slice(nth, nth + 5).map(person) });
  await store.close();
  await backupSqliteStore({ path, to });
  const left = async (textsOf: (nth: number) => readonly string[]) => {
    const bytes = await readFile(to);
    return gone.flatMap(textsOf).filter((text) => bytes.includes(text));
  };
  expect(await left((nth) => ["body", "claim", "name"].map((kind) => secretOf(kind, nth)))).toEqual([]);
  const copy = await openSqliteStore({ path: to });
  await copy.rebuild?.(() => undefined);
  await copy.close();
  expect(await left((nth) => [trigramOf(nth), keyOf(nth)])).toEqual([]);
});
