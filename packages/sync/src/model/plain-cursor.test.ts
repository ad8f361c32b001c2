import type { JsonObject, ResourceType } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { plainAnew, plainNext, plainTurn, stampOf } from "./plain-cursor.ts";

const types: readonly ResourceType[] = ["Individual", "Group"];
const minute = 60_000;

/** A record changed so many minutes after eight. */
const changed = (minutes: number): JsonObject => ({
  meta: { lastUpdated: new Date(Date.UTC(2026, 0, 15, 8) + minutes * minute).toISOString() },
});

/** Where reading stands after these answers: minutes told, and the server's next cursor. */
function after(cursor: string | null, answers: readonly (readonly [readonly number[], string | null])[]) {
  return answers.reduce<string | null>(
    (known, [minutes, next]) => plainNext(known, types, { records: minutes.map(changed), next }).cursor,
    cursor,
  );
}

const ended = null;

describe("a cursor over searches", () => {
  it("begins with everything of the first type", () => {
    expect(plainTurn(null, types)).toEqual({ type: "Individual", since: null, page: null });
  });

  it("follows the server's cursor, and goes to the next type when the server says that there is no more", () => {
    const within = plainNext(null, types, { records: [changed(1)], next: "p2" });
    expect(within.more).toBe(true);
    expect(plainTurn(within.cursor, types)).toEqual({ type: "Individual", since: null, page: "p2" });
    const next = plainNext(within.cursor, types, { records: [], next: ended });
    expect(next.more).toBe(true);
    expect(plainTurn(next.cursor, types)).toEqual({ type: "Group", since: null, page: null });
    expect(plainNext(next.cursor, types, { records: [], next: ended }).more).toBe(false);
  });

  it("goes back to what was known when a type's reading began, not when it ended", () => {
    const cursor = after(null, [
      [[1], "p2"],
      [[90], ended],
      [[], ended],
    ]);
    expect(plainTurn(cursor, types)?.since).toBe("2026-01-15T07:56:00.000Z");
    const again = after(cursor, [[[], ended]]);
    expect(plainTurn(again, types)).toMatchObject({ type: "Group", since: "2026-01-15T09:25:00.000Z" });
  });

  it("knows the server's time from every type", () => {
    const cursor = after(null, [
      [[60], ended],
      [[1], ended],
      [[], ended],
    ]);
    expect(plainTurn(cursor, types)).toMatchObject({ type: "Group", since: "2026-01-15T08:55:00.000Z" });
  });

  it("reads all of a type again while no answer names an instant", () => {
    const cursor = after(null, [
      [[], ended],
      [[], ended],
    ]);
    expect(plainTurn(cursor, types)).toEqual({ type: "Individual", since: null, page: null });
  });

  it("begins anew with what it knows of the server's time", () => {
    const cursor = plainAnew(after(null, [[[60], "p2"]]));
    expect(plainTurn(cursor, types)).toEqual({ type: "Individual", since: null, page: null });
    expect(plainTurn(after(cursor, [[[1], ended]]), ["Group", "Individual"])?.since).toBe(
      "2026-01-15T08:55:00.000Z",
    );
    expect(plainAnew(cursor)).toBe(cursor);
  });

  it.each([null, "bm90LW91cnM", ""])("takes nothing from a cursor of a change feed: %s", (cursor) => {
    expect(plainTurn(cursor, types)).toEqual({ type: "Individual", since: null, page: null });
    expect(plainAnew(cursor)).toBeNull();
  });

  it("has nothing to read where no type is wanted", () => {
    expect(plainTurn(null, [])).toBeUndefined();
  });
});

describe("the instant of a change", () => {
  it.each<[string, JsonObject | null]>([
    ["of no record", null],
    ["of one whose version is hidden", {}],
    ["that is none", { meta: { lastUpdated: "yesterday" } }],
  ])("is not told %s", (_, record) => {
    expect(stampOf(record)).toBe(0);
  });
});
