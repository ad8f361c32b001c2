import { describe, expect, it } from "vitest";
import { type Period, periodsAfter, turnsWithin } from "./periods.ts";

const day = (date: string) => `${date}T00:00:00.000Z`;
const noon = (date: string) => `${date}T12:00:00.000Z`;
const given = { status: "given", effectiveDate: "2026-01-01" } as const;
const since = [{ from: noon("2026-01-03") }];

describe("the time in which a consent showed something", () => {
  const cases: readonly (readonly [
    string,
    readonly Period[],
    Parameters<typeof periodsAfter>[1],
    Period[],
  ])[] = [
    ["begins when it is recorded, not on a day before", [], given, [{ from: noon("2026-01-10") }]],
    [
      "begins on a later first day",
      [],
      { ...given, effectiveDate: "2026-01-20" },
      [{ from: day("2026-01-20") }],
    ],
    [
      "ends after its last day",
      [],
      { ...given, expiryDate: "2026-01-31" },
      [{ from: noon("2026-01-10"), until: day("2026-02-01") }],
    ],
    ["is none when it is over before it is recorded", [], { ...given, expiryDate: "2026-01-09" }, []],
    [
      "ends with a withdrawal",
      since,
      { ...given, status: "withdrawn" },
      [{ from: noon("2026-01-03"), until: noon("2026-01-10") }],
    ],
    [
      "is none when it is withdrawn before its first day",
      [{ from: day("2026-01-20") }],
      { ...given, status: "withdrawn" },
      [],
    ],
    [
      "goes on with a renewal",
      [{ from: noon("2026-01-03"), until: day("2026-01-15") }],
      { ...given, status: "renewed", expiryDate: "2026-02-28" },
      [{ from: noon("2026-01-03"), until: day("2026-03-01") }],
    ],
    [
      "begins again with a renewal after it ended",
      [{ from: noon("2026-01-03"), until: day("2026-01-05") }],
      { ...given, status: "renewed" },
      [{ from: noon("2026-01-03"), until: day("2026-01-05") }, { from: noon("2026-01-10") }],
    ],
    ["is none while it is only requested", [], { ...given, status: "requested" }, []],
  ];
  it.each(cases)("%s", (_, former, terms, expected) => {
    expect(periodsAfter(former, terms, noon("2026-01-10"))).toEqual(expected);
  });
});

it.each<[string, Period, boolean]>([
  ["begins on a day of them", { from: day("2026-01-05") }, true],
  ["begins on the last of them", { from: day("2026-01-08") }, true],
  ["began on the first of them, which was told", { from: day("2026-01-04") }, false],
  ["begins later", { from: day("2026-01-09") }, false],
  ["is recorded on a day of them", { from: noon("2026-01-05") }, false],
  ["ended with a day of them", { from: noon("2026-01-01"), until: day("2026-01-05") }, true],
  ["was withdrawn on a day of them", { from: noon("2026-01-01"), until: noon("2026-01-05") }, false],
])("the calendar tells of a period within days when it %s", (_, period, expected) => {
  expect(turnsWithin(period, "2026-01-04", "2026-01-08")).toBe(expected);
});
