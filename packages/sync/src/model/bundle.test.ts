import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterHanging,
  type BundleLimits,
  bundlePart,
  bundleText,
  cut,
  halves,
  lowered,
  raised,
  versionTag,
  widest,
} from "./bundle.ts";
import type { FrozenRequest } from "./entry.ts";

const limits: BundleLimits = { entries: 3, bytes: 100 };

/** Requests never tried before. */
const fresh = (sizes: readonly number[]) => sizes.map((size) => ({ size, attempts: 0 }));

describe("requests of known sizes", () => {
  const cases: readonly (readonly [string, readonly number[], readonly (readonly number[])[]])[] = [
    ["are no group when there are none", [], []],
    ["are one group while they fit", [10, 20, 25], [[0, 1, 2]]],
    ["are no more than the server takes", [10, 10, 10, 10], [[0, 1, 2], [3]]],
    ["are no larger than a bundle may be", [25, 25, 25], [[0, 1, 2]]],
    [
      "part where the next is too much",
      [25, 25, 24, 25, 25],
      [
        [0, 1, 2],
        [3, 4],
      ],
    ],
    ["go alone when they are larger than a bundle may be, and part no others", [10, 101, 10], [[0, 2], [1]]],
  ];
  it.each(cases)("%s", (_, sizes, groups) => {
    expect(cut(fresh(sizes), limits)).toEqual(groups);
  });

  it("go alone when they are large", () => {
    expect(cut(fresh([10, 16_385, 16_384]), widest)).toEqual([[0, 2], [1]]);
  });

  it("travel with ever fewer of their kind for each attempt that had no outcome, and then alone", () => {
    const tried = [...Array(120).fill(0), ...Array(30).fill(1), ...Array(7).fill(2), 3, 3, 9];
    const groups = cut(
      tried.map((attempts) => ({ size: 1, attempts })),
      widest,
    );
    expect(groups.map((group) => group.length)).toEqual([100, 20, 25, 5, 6, 1, 1, 1, 1]);
    expect(groups.flat()).toEqual(tried.map((_, place) => place));
  });

  it("are each in one group, in their order, and every group of several within its limits", () => {
    const size = fc.integer({ min: 1, max: 120 });
    fc.assert(
      fc.property(fc.array(size), fc.integer({ min: 1, max: 5 }), (sizes, entries) => {
        const groups = cut(fresh(sizes), { entries, bytes: 100 });
        expect(groups.flat().sort((a, b) => a - b)).toEqual(sizes.map((_, place) => place));
        for (const group of groups) {
          expect(group).toEqual([...group].sort((a, b) => a - b));
          expect(group.length).toBeLessThanOrEqual(entries);
          const bytes = group.reduce((sum, place) => sum + (sizes[place] ?? 0), 0);
          if (group.length > 1) expect(bytes).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

describe("a bundle that was refused", () => {
  it.each([
    [
      [1, 2, 3, 4],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [1, 2, 3],
      [[1, 2], [3]],
    ],
    [
      [1, 2],
      [[1], [2]],
    ],
    [[1], [[1]]],
    [[], []],
  ])("parts into halves: %j", (group, parts) => {
    expect(halves(group)).toEqual(parts);
  });

  it.each([
    ["half as many", { entries: 100, bytes: 1000 }, { entries: 50, bytes: 500 }, { entries: 25, bytes: 300 }],
    [
      "never more than before",
      { entries: 10, bytes: 100 },
      { entries: 50, bytes: 500 },
      { entries: 10, bytes: 100 },
    ],
    ["one at least", { entries: 2, bytes: 10 }, { entries: 1, bytes: 1 }, { entries: 1, bytes: 1 }],
  ])("lowers what travels together to %s", (_, allowed, refused, next) => {
    expect(lowered(allowed, refused)).toEqual(next);
  });

  it("is down to single requests in a few steps", () => {
    let allowed: BundleLimits = { entries: 100, bytes: 65_536 };
    let steps = 0;
    for (; allowed.entries > 1; steps++) allowed = lowered(allowed, allowed);
    expect(steps).toBe(7);
  });
});

describe("a bundle that hung", () => {
  it("lowers what travels together to a quarter, which is enough for the largest request of several", () => {
    expect(afterHanging({ entries: 100, bytes: 65_536 })).toEqual({ entries: 25, bytes: 16_384 });
    expect(afterHanging({ entries: 6, bytes: 2_000 })).toEqual({ entries: 2, bytes: 16_384 });
    expect(afterHanging({ entries: 2, bytes: 2_000 })).toEqual({ entries: 1, bytes: 16_384 });
  });

  it("is forgotten step by step when as much as was allowed gets through", () => {
    let allowed = afterHanging(widest);
    for (let step = 0; step < 2; step++) allowed = raised(allowed);
    expect(allowed).toEqual(widest);
    expect(raised(widest)).toEqual(widest);
  });
});

describe("the version that a request replaces", () => {
  it.each([
    [{ ifMatch: "7", recordKey: "k" }, true, '"7.k"'],
    [{ ifMatch: "7", recordKey: "k" }, false, '"7"'],
    [{ ifMatch: "7" }, true, '"7"'],
    [{ ifMatch: null }, true, undefined],
  ])("of %o, with the record's key: %s, is %s", (frozen, named, tag) => {
    expect(versionTag(frozen, named)).toBe(tag);
  });
});

describe("the text of a bundle", () => {
  const request: FrozenRequest = {
    key: "k",
    method: "PATCH",
    path: '/Individual/urn:x|"1"',
    contentType: "application/merge-patch+json",
    ifMatch: "7",
    body: '{"name":{"family":"Reyes"}}',
    sent: {},
    covers: [],
    frozenAt: "",
  };

  it("holds each request's very body, where it goes, the version it replaces, and its key", () => {
    const other: FrozenRequest = {
      ...request,
      key: "l",
      method: "POST",
      path: "/Group",
      ifMatch: null,
      body: "{}",
    };
    const text = bundleText([request, other].map((request) => bundlePart(request)));
    expect(text).toContain(`"resource":${request.body}}`);
    expect(JSON.parse(text)).toEqual({
      resourceType: "Bundle",
      type: "batch",
      entry: [
        {
          request: { method: "PATCH", url: 'Individual/urn:x|"1"', ifMatch: '"7"', idempotencyKey: "k" },
          resource: { name: { family: "Reyes" } },
        },
        { request: { method: "POST", url: "Group", idempotencyKey: "l" }, resource: {} },
      ],
    });
  });
});
