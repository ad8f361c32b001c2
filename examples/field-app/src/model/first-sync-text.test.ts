import type { EnginePhase } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { firstSyncText, isUnfinished, noProgramsText } from "./first-sync-text.ts";

const status = {
  phase: "pulling" as EnginePhase,
  signedInAs: "ana",
  scopes: null as readonly string[] | null,
  firstSync: { complete: false, records: 1200, rate: null },
};

describe("a first download that is not finished", () => {
  it("is told while it is under way", () => {
    expect(firstSyncText(status)).toContain("1,200 so far");
  });

  it.each<[EnginePhase, string]>([
    ["offline", "It goes on when there is a network."],
    ["paused", "It goes on after you press “Go on”."],
    ["signed-out", "It goes on when you have signed in again."],
    ["waiting", "It goes on by itself."],
    ["idle", "It goes on by itself."],
  ])("is told while it rests: %s", (phase, sentence) => {
    const text = firstSyncText({ ...status, phase });
    expect(text).toContain("The first download is not finished: 1,200 records so far.");
    expect(text).toContain("may be registered already");
    expect(text).toContain(sentence);
  });

  it("is why no program is offered where none is here", () => {
    const told = (none: boolean, unfinished: boolean) => noProgramsText({ none, unfinished }, "None left.");
    expect(told(true, true)).toBe("No program is on this device yet: the download is not finished.");
    expect(told(true, false)).toContain("No program was downloaded to this device.");
    expect([told(false, true), told(false, false)]).toEqual(["None left.", "None left."]);
  });

  it("is none where nobody is signed in, where it is complete, and where nothing may be seen", () => {
    const none = [
      { ...status, signedInAs: null },
      { ...status, firstSync: { complete: true, records: 1200, rate: null } },
      { ...status, scopes: ["payment:read"] },
    ];
    expect(none.map(isUnfinished)).toEqual([false, false, false]);
    expect(none.map(firstSyncText)).toEqual([undefined, undefined, undefined]);
    expect(isUnfinished({ ...status, scopes: ["program:read"] })).toBe(true);
  });
});
