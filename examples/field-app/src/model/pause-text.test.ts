import { describe, expect, it } from "vitest";
import { pauseText, restoredText } from "./pause-text.ts";

describe("pauseText", () => {
  const note = { by: "ana", at: "2026-11-22T08:30:00.000Z" };
  it("says since when, and that somebody else began it", () => {
    expect(pauseText(note, "ana")).toMatch(/^Paused since 22 Nov 2026, \d\d:\d\d: nothing is sent/);
    expect(pauseText(note, "ben")).toMatch(
      /^Paused since 22 Nov 2026, \d\d:\d\d, by another person: nothing is sent/,
    );
  });

  it("says no more than is known", () => {
    expect(pauseText(null, "ben")).toMatch(/^Paused: nothing is sent/);
  });
});

describe("restoredText", () => {
  const none = { phase: "idle", pending: 0, sending: 0, parked: 0 } as const;
  it("says that what is back will be sent, and of a pause that it waits", () => {
    const pending = { ...none, pending: 1 };
    expect(restoredText(1, pending)).toBe("1 record with your changes is back, and will be sent.");
    expect(restoredText(2, { ...pending, phase: "paused" })).toBe(
      "2 records with your changes are back. They wait until sending goes on.",
    );
    expect(restoredText(1, { ...pending, phase: "signed-out" })).toBe("1 record with your changes is back.");
  });

  it("goes once nothing waits any more, and promises nothing of what needs a decision", () => {
    expect(restoredText(1, none)).toBeUndefined();
    expect(restoredText(1, { ...none, parked: 1 })).toBe(
      "1 record with your changes is back, and needs your decision.",
    );
  });
});
