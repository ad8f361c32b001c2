import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { absorb } from "./absorb.ts";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { freeze } from "./freeze.ts";
import { settle } from "./settle.ts";
import type { Verdict } from "./verdict.ts";

const at = "2026-01-15T08:00:00.000Z";

function ana(family: string, meta?: JsonObject): JsonObject {
  const identifier = [{ system: "urn:service:registrant", value: "1" }];
  return { type: "Individual", identifier, name: { family, given: "Ana" }, ...(meta && { meta }) };
}

const onServer = (family: string, versionId = "1") =>
  ana(family, { versionId, lastUpdated: at, source: "urn:test" });
const lost: Verdict = { kind: "unknown", detail: "no answer", nextAttemptAt: null };
const tooLarge: Verdict = { kind: "rejected", detail: "too large", errors: [] };
const ownDuplicate = (theirs: JsonObject): Verdict => ({
  kind: "duplicate",
  detail: "is there already",
  existing: null,
  theirs,
  own: true,
});

/** A person made here as Cruz, whose first request was lost and then refused; renamed since, and sent again. */
function sentTwice(answers: readonly Verdict[] = [lost, tooLarge]): {
  entry: OutboxEntry;
  local: JsonObject;
} {
  let local = ana("Cruz");
  const made = { type: "Individual", key: "k", before: null, after: local, by: "t", at } as const;
  let entry = frozen(addEdit(null, made, "e1"), local);
  for (const answer of answers) entry = settle(entry, local, answer, at).entry ?? entry;
  const renamed = { ...made, before: local, after: ana("Reyes") };
  local = renamed.after;
  return { entry: frozen(addEdit(entry, renamed, "e2"), local), local };
}

function frozen(entry: OutboxEntry, local: JsonObject): OutboxEntry {
  const work = freeze(entry, local, { key: "key", at });
  return work.kind === "request" ? { ...entry, request: work.request } : entry;
}

describe("a change of a record that was in doubt when its request was given up", () => {
  const base = onServer("Cruz");
  const refused = (answers: readonly Verdict[]) => {
    const renamed = { type: "Individual", key: "k", before: base, after: ana("Reyes"), by: "t", at } as const;
    const first = frozen(addEdit(null, renamed, "e1"), ana("Reyes"));
    const back = { ...renamed, before: ana("Reyes"), after: ana("Cruz") };
    const edited = addEdit(first, back, "e2");
    return answers.reduce((now, answer) => settle(now, ana("Cruz"), answer, at).entry ?? now, edited);
  };
  const told = (theirs: JsonObject) => ({ kind: "upsert", record: theirs }) as const;

  it("arrived where news says it, and what was taken back since is still to be sent", () => {
    const entry = refused([lost, tooLarge]);
    expect(absorb(entry, ana("Cruz"), told(onServer("Reyes", "2")), { at, epoch: "x" })).toMatchObject({
      entry: { base: onServer("Reyes", "2"), edits: [{ id: "e2" }], parked: null },
      local: { name: { family: "Cruz" } },
      ended: [{ edit: { id: "e1" }, end: "accepted" }],
      accepted: { epoch: "x", edit: { id: "e1" }, after: { name: { family: "Reyes" } } },
    });
  });

  it("is asked for by a request without content where nothing else is left", () => {
    const entry = refused([lost, tooLarge]);
    expect(frozen(entry, ana("Cruz")).request).toMatchObject({ ifMatch: "1", body: "{}" });
  });

  it("is none that somebody else made, where it never left before", () => {
    const entry = refused([tooLarge]);
    const { entry: left, local } = absorb(entry, ana("Cruz"), told(onServer("Reyes", "2")), { at });
    expect([left, local?.name]).toEqual([null, { family: "Reyes", given: "Ana" }]);
  });
});

describe("a record that is found on the server although it was refused", () => {
  it("was made by the earlier request, so that what was edited since is still to be sent", () => {
    const { entry, local } = sentTwice();
    expect(settle(entry, local, ownDuplicate(onServer("Cruz")), at)).toMatchObject({
      entry: { base: onServer("Cruz"), edits: [{ id: "e2" }], request: null, parked: null, earlier: null },
      local: { name: { family: "Reyes" } },
      ended: [{ edit: { id: "e1" }, end: "accepted" }],
    });
  });

  it("was made by this request, where it says all that this one says", () => {
    const { entry, local } = sentTwice();
    const settled = settle(entry, local, ownDuplicate(onServer("Reyes")), at);
    expect(settled).toMatchObject({ entry: null, local: onServer("Reyes") });
    expect(settled.ended).toHaveLength(2);
  });

  it("waits for a person, where nobody can know by which of the two it was made", () => {
    const { entry, local } = sentTwice();
    const again = settle(entry, local, lost, at).entry ?? entry;
    const settled = settle(again, local, ownDuplicate(onServer("Santos", "2")), at);
    expect(settled).toMatchObject({
      entry: {
        parked: { reason: "conflict", theirs: { name: { family: "Santos" } } },
        base: { meta: { versionId: "0" } },
      },
      local: { name: { family: "Reyes" } },
      ended: [],
    });
  });

  it.each([
    { made: "Cruz", left: ["e2", "e3"] },
    { made: "Reyes", left: ["e1", "e2", "e3"] },
  ])("loses nothing where a request before the last one made it, as $made", ({ made, left }) => {
    const { entry, local } = sentTwice();
    const refused = [lost, tooLarge].reduce(
      (now, answer) => settle(now, local, answer, at).entry ?? now,
      entry,
    );
    const last = ana("Santos");
    const renamed = { type: "Individual", key: "k", before: local, after: last, by: "t", at } as const;
    const third = frozen(addEdit(refused, renamed, "e3"), last);
    const settled = settle(third, last, ownDuplicate(onServer(made)), at);
    expect(settled).toMatchObject({
      entry: { edits: left.map((id) => ({ id })), request: null },
      local: { name: { family: "Santos" } },
    });
    expect(settled.entry?.parked).toBeNull();
  });

  it("was made by this request, where none before it can have arrived", () => {
    const { entry, local } = sentTwice([tooLarge]);
    expect(entry.earlier).toBeUndefined();
    expect(settle(entry, local, ownDuplicate(onServer("Santos", "2")), at).local).toMatchObject({
      name: { family: "Santos" },
    });
  });
});
