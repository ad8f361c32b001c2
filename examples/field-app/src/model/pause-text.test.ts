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
  it.each<readonly [string, Partial<Parameters<typeof restoredText>[0]>, string | undefined]>([
    ["what will be sent", { pending: 1 }, "1 record with your changes is back, and will be sent."],
    [
      "what is on its way, too",
      { pending: 1, sending: 1 },
      "2 records with your changes are back, and will be sent.",
    ],
    [
      "what waits in a pause",
      { phase: "paused", pending: 2 },
      "2 records with your changes are back. They wait until sending goes on.",
    ],
    ["no more than is known", { phase: "signed-out", pending: 1 }, "1 record with your changes is back."],
    ["nothing once all is sent", {}, undefined],
    [
      "what needs a decision once the others are sent",
      { parked: 4 },
      "4 records with your changes are back, and need your decision.",
    ],
    [
      "both beside each other",
      { pending: 3, sending: 1, parked: 1 },
      "5 records with your changes are back: 4 will be sent, and 1 needs your decision.",
    ],
    [
      "both in a pause",
      { phase: "paused", pending: 1, parked: 2 },
      "3 records with your changes are back: 1 waits until sending goes on, and 2 need your decision.",
    ],
    [
      "both in the moment of signing in",
      { phase: "stopped", pending: 2, parked: 1 },
      "3 records with your changes are back: 2 wait, and 1 needs your decision.",
    ],
  ])("says %s", (_, now, text) => {
    expect(restoredText({ phase: "idle", pending: 0, sending: 0, parked: 0, ...now })).toBe(text);
  });
});
