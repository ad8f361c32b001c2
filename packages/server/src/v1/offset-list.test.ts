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

it("reaches a far place in several requests, each from where the last one stopped", async () => {
  const { list, read } = counted();
  const lists = createOffsetLists();
  const ask = async () => {
    const before = read.length;
    return lists.part("a", list, { offset: 1100, limit: 5, isSpent: () => read.length > before });
  };
  expect(await ask()).toMatchObject({ ok: false, problem: { kind: "too-many-requests" } });
  expect(await ask()).toMatchObject({ ok: false });
  expect(await ask()).toEqual({ ok: true, value: all.slice(1100, 1105) });
  expect(read).toEqual([500, 500, 100, 5]);
});

it("takes short and empty pages for what they are", async () => {
  const list = async ({ cursor = "0" }: { limit: string; cursor?: string }) => {
    const at = Number(cursor);
    return success({
      data: at % 2 ? [] : [at],
      hasMore: at < 20,
      ...(at < 20 && { nextCursor: String(at + 1) }),
    });
  };
  const part = await createOffsetLists().part("a", list, { offset: 3, limit: 4 });
  expect(part).toEqual({ ok: true, value: [6, 8, 10, 12] });
});
