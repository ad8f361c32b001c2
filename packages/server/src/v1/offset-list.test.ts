import { failure, success } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createOffsetLists } from "./offset-list.ts";

const all = Array.from({ length: 1200 }, (_, i) => i);

/** A list by cursor that counts what it reads. */
function counted(names: { prefix: string } = { prefix: "at" }) {
  const read: number[] = [];
  const list = async ({ limit, cursor }: { limit: string; cursor?: string }) => {
    if (cursor !== undefined && !cursor.startsWith(names.prefix)) {
      return failure({ kind: "bad-request", detail: "not a cursor of this list" });
    }
    const start = Number(cursor?.slice(names.prefix.length) ?? 0);
    const end = Math.min(all.length, start + Number(limit));
    read.push(end - start);
    const more = end < all.length;
    return success({
      data: all.slice(start, end),
      hasMore: more,
      ...(more && { nextCursor: `${names.prefix}${end}` }),
    });
  };
  return { list, read };
}

it.each([
  [0, 20],
  [499, 3],
  [500, 500],
  [700, 450],
  [1199, 5],
  [1200, 5],
  [5000, 5],
])("reads from offset %i, %i records", async (offset, limit) => {
  const { list } = counted();
  const part = await createOffsetLists().part("a", list, { offset, limit });
  expect(part.ok && part.value).toEqual(all.slice(offset, offset + limit));
});

it("reads on for the price of what it reads", async () => {
  const { list, read } = counted();
  const lists = createOffsetLists();
  for (let offset = 0; offset < 1200; offset += 100) await lists.part("a", list, { offset, limit: 100 });
  expect(read).toEqual(Array.from({ length: 12 }, () => 100));
});

it("begins again when the place it remembered leads nowhere any more", async () => {
  const names = { prefix: "at" };
  const { list } = counted(names);
  const lists = createOffsetLists();
  await lists.part("a", list, { offset: 0, limit: 10 });
  names.prefix = "changed";
  const part = await lists.part("a", list, { offset: 10, limit: 2 });
  expect(part.ok && part.value).toEqual([10, 11]);
});

it("passes over no more than 100,000 records at once", async () => {
  const part = await createOffsetLists().part("a", counted().list, { offset: 100_001, limit: 1 });
  expect(part.ok).toBe(false);
});
