import type { SyncStatus } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import { isUnreached, momentOf, phaseText, problemText, syncOutcome } from "./sending.ts";

const { outcomes } = texts.sync;
const quiet = {
  ...{ phase: "idle", signedInAs: "maria", scopes: null, needsSignIn: false },
  ...{ pending: 0, sending: 0, parked: 0, photos: 0 },
  ...{ firstSync: { complete: true, records: 1, rate: null }, lastSuccessAt: null, nextAttemptAt: null },
  ...{
    safeMode: null,
    awaitingConsent: { records: 0, oldestAt: null },
    lastError: null,
    oldestPendingAt: null,
    clockSkew: null,
    clockHeardAt: null,
    networkProblem: null,
  },
} as SyncStatus;

describe("what came of asking the server", () => {
  it.each<readonly [string, Partial<SyncStatus>, string]>([
    ["all is done", {}, outcomes.done],
    ["there is no network", { phase: "offline", pending: 2, lastError: "no answer" }, outcomes.offline],
    ["nobody is signed in", { signedInAs: null }, outcomes.signedOut],
    ["the session has ended", { needsSignIn: true }, texts.sync.signInRefused],
    ["the server fails", { lastError: "It is down.", pending: 1 }, outcomes.failed("It is down.")],
    ["a change has to wait", { sending: 1 }, outcomes.waits],
    ["a record needs a decision", { parked: 1 }, outcomes.parked],
    ["all that is left waits for a decision", { parked: 1, pending: 1 }, outcomes.held],
  ])("says that %s", (_, status, says) => {
    expect(syncOutcome({ ...quiet, ...status })).toBe(says);
  });
});

describe("what the engine does", () => {
  it.each<readonly [string, Partial<SyncStatus>, string]>([
    ["is nothing when all is sent", {}, texts.sync.phases.idle],
    ["is to wait when something is put off", { sending: 1 }, texts.sync.phases.waiting],
    ["is to wait for the person to sign in again", { phase: "signed-out" }, texts.sync.signInAgain],
    ["is to wait for the person to decide", { parked: 1, pending: 1 }, texts.sync.held],
    ["is the same where all else is sent", { parked: 1 }, texts.sync.held],
    [
      "is to wait when something is put off beside what needs a decision",
      { parked: 1, pending: 1, lastError: "It is down." },
      texts.sync.phases.waiting,
    ],
    [
      "is to wait for another network for photos",
      { parked: 1, pending: 1, photos: 1 },
      texts.sync.phases.waiting,
    ],
    [
      "is nothing while nobody is signed in",
      { phase: "signed-out", signedInAs: null },
      texts.sync.phases["signed-out"],
    ],
    ["is what it says otherwise", { phase: "pulling", pending: 1 }, texts.sync.phases.pulling],
  ])("%s", (_, status, says) => {
    expect(phaseText({ ...quiet, ...status })).toBe(says);
  });

  it("is another moment when a person would see another status", () => {
    const then = momentOf(quiet);
    expect(momentOf({ ...quiet, lastSuccessAt: "2026-01-01T00:00:00Z" })).toBe(then);
    expect(momentOf({ ...quiet, phase: "offline" })).not.toBe(then);
    expect(momentOf({ ...quiet, parked: 1 })).not.toBe(then);
  });
});

describe("the last problem", () => {
  const lastError = "The access token is not valid here. Get a new one at /oauth2/token.";
  it.each<readonly [string, Partial<SyncStatus>, string | null]>([
    ["is none", {}, null],
    ["is told as it is", { lastError: "It is down." }, "It is down."],
    ["tells of a sign-in and not of its token", { needsSignIn: true, lastError }, texts.sync.signInRefused],
  ])("%s", (_, status, says) => {
    expect(problemText({ ...quiet, ...status })).toBe(says);
  });
});

describe("the server", () => {
  it.each<readonly [string, SyncStatus["phase"], boolean, boolean]>([
    ["is there while all goes well", "idle", true, false],
    ["is there in a pause, as far as the browser knows", "paused", true, false],
    ["can't be reached when the browser has no network", "paused", false, true],
    ["can't be reached when nobody answered", "offline", true, true],
    ["can't be reached while the next attempt waits", "waiting", true, true],
  ])("%s", (_, phase, online, unreached) => {
    expect(isUnreached({ phase }, online)).toBe(unreached);
  });
});
