import { createMemoryStore } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createIntegerIds, type Named } from "./integer-ids.ts";

const named = (...extIds: string[]): Named[] => extIds.map((extId) => ({ kind: "registrant", extId }));
const drawing = (...numbers: number[]) => {
  const left = [...numbers];
  return () => left.shift() ?? 99;
};

it("gives each record an integer, and the same one ever after", async () => {
  const store = createMemoryStore();
  expect(await createIntegerIds(store, drawing(7, 8)).of(named("a", "b", "a"))).toEqual([7, 8, 7]);
  expect(await createIntegerIds(store, drawing(9)).of(named("b", "a"))).toEqual([8, 7]);
});

it("leads back from an integer to its record, of its kind only", async () => {
  const ids = createIntegerIds(createMemoryStore(), drawing(7));
  await ids.of(named("a"));
  expect(await ids.extIdOf("registrant", 7)).toBe("a");
  expect(await ids.extIdOf("program", 7)).toBeUndefined();
  expect(await ids.extIdOf("registrant", 8)).toBeUndefined();
});

it("draws again when an integer is another record's, or is drawn twice at once", async () => {
  const store = createMemoryStore();
  await createIntegerIds(store, drawing(7)).of(named("a"));
  expect(await createIntegerIds(store, drawing(7, 8, 7, 8)).of(named("b"))).toEqual([8]);
  expect(await createIntegerIds(store, drawing(10, 10, 10, 10, 11)).of(named("c", "d"))).toEqual([10, 11]);
});

it("gives one integer to a record that many see first at once", async () => {
  const store = createMemoryStore();
  const seen = await Promise.all(
    Array.from({ length: 10 }, () => createIntegerIds(store).of(named("a", "b"))),
  );
  expect(new Set(seen.map((ids) => ids.join())).size).toBe(1);
});

it("draws integers that a 32-bit column holds", async () => {
  const ids = await createIntegerIds(createMemoryStore()).of(
    named(...Array.from({ length: 300 }, (_, i) => `${i}`)),
  );
  for (const id of ids) expect(id >= 1 && id < 2 ** 31 && Number.isInteger(id)).toBe(true);
});
