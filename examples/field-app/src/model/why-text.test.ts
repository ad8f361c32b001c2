import type { Explanation, ParkedRecord } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import { instantText } from "./person-text.ts";
import { answerText, nextText, serverText } from "./why-text.ts";

const conflicts = [{ path: "/name/family", base: "A", ours: "B", theirs: "C" }];
const parked = (reason: ParkedRecord["reason"], more: Partial<ParkedRecord> = {}) =>
  ({ reason, detail: "A sentence of the engine’s.", conflicts: [], ...more }) as unknown as ParkedRecord;

type Standing = Pick<Explanation, "baseVersion" | "parked">;

describe("nextText", () => {
  const at = "2026-11-26T13:35:00Z";
  const quiet = { phase: "idle", nextAttemptAt: at, needsSignIn: false, lastError: null } as const;
  const down = "The server can't be reached.";
  it.each([
    ["as soon as possible", null, quiet, { when: texts.why.soon, problem: null }],
    ["when it is due by itself", at, quiet, { when: instantText(at), problem: null }],
    [
      "at the next attempt",
      null,
      { ...quiet, phase: "waiting", lastError: down },
      { when: instantText(at), problem: down },
    ],
    [
      "with a network",
      null,
      { ...quiet, phase: "offline", lastError: down },
      { when: texts.sync.withoutTime.offline, problem: null },
    ],
  ] as const)("is %s", (_, own, status, says) => {
    expect(nextText(own, status)).toEqual(says);
  });
});

describe("serverText", () => {
  it.each<[string, Standing, string]>([
    ["made here", { baseVersion: null, parked: null }, "Not yet"],
    ["edited here", { baseVersion: "1", parked: null }, "As it was before your changes"],
    ["refused", { baseVersion: "1", parked: parked("rejected") }, "As it was before your changes"],
    [
      "changed by two",
      { baseVersion: "1", parked: parked("conflict", { conflicts }) },
      "Somebody else changed the same thing as you",
    ],
    [
      "perhaps undone by somebody",
      { baseVersion: "1", parked: parked("conflict") },
      "A sentence of the engine’s.",
    ],
    ["gone", { baseVersion: "1", parked: parked("gone") }, "Not there any more"],
    ["archived", { baseVersion: "1", parked: parked("gone", { isArchived: true }) }, "Archived"],
  ])("tells of a record that is %s", (_, standing, text) => {
    expect(serverText(standing)).toBe(text);
  });
});

describe("answerText", () => {
  const at = "2026-11-21T08:00:00.000Z";
  const message = 'Send them with If-Match: "2".';
  it("says in words for people that somebody else had changed the record", () => {
    for (const of of [parked("conflict", { conflicts }), null]) {
      const text = answerText({ at, status: 409, message }, { baseVersion: "1", parked: of });
      expect(text).toContain("Not taken, for somebody else had changed the record meanwhile.");
      expect(text).not.toContain("If-Match");
    }
  });

  it.each<[string, number, Standing]>([
    ["of a record that is made here", 409, { baseVersion: null, parked: null }],
    ["of a duplicate", 409, { baseVersion: "1", parked: parked("duplicate") }],
    ["of what is wrong in it", 422, { baseVersion: "1", parked: parked("rejected") }],
  ])("keeps the sentence %s", (_, status, standing) => {
    expect(answerText({ at, status, message }, standing)).toContain(message);
  });
});
