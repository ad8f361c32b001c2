import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { absorb } from "./absorb.ts";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { freeze } from "./freeze.ts";
import { withoutLeft } from "./left.ts";
import { decide } from "./resolve.ts";
import { settle } from "./settle.ts";
import type { Settled } from "./settled.ts";
import type { Verdict } from "./verdict.ts";

const at = "2026-01-15T08:00:00.000Z";
const identifier = [{ system: "urn:test", value: "1" }];

function person(version: number, rest: JsonObject = {}): JsonObject {
  const meta = { versionId: String(version), lastUpdated: at, source: "urn:test" };
  return { type: "Individual", identifier, name: { family: "Cruz", given: "Ana" }, ...rest, meta };
}

/** A person known at version 1, with edits on it, the first of them frozen when asked. */
class Story {
  entry: OutboxEntry | null = null;
  local: JsonObject;
  #ids = 0;

  constructor(local: JsonObject) {
    this.local = local;
  }

  edit(after: JsonObject, before: JsonObject | null = this.local): this {
    const change = { type: "Individual", key: "k", before, after, by: "t", at } as const;
    this.entry = addEdit(this.entry, change, `e${++this.#ids}`);
    this.local = after;
    return this;
  }

  freeze(): this {
    if (!this.entry) throw new Error("nothing to freeze");
    const frozen = freeze(this.entry, this.local, { key: "key", at });
    if (frozen.kind === "request") this.entry = { ...this.entry, request: frozen.request };
    return this;
  }

  pull(record: JsonObject): this {
    return this.#take(absorb(this.#entry(), this.local, { kind: "upsert", record }, { at }));
  }

  removed(): this {
    return this.#take(
      absorb(this.#entry(), this.local, { kind: "removed", versionId: "9", reason: "left-feed" }, { at }),
    );
  }

  answer(verdict: Verdict): Settled {
    return settle(this.#entry(), this.local, verdict, at);
  }

  #entry(): OutboxEntry {
    if (!this.entry) throw new Error("there is no entry");
    return this.entry;
  }

  #take(settled: Settled): this {
    this.entry = settled.entry;
    this.local = settled.local ?? {};
    return this;
  }
}

const family = (name: string) => ({ name: { family: name, given: "Ana" } });
const given = (name: string) => ({ name: { family: "Cruz", given: name } });

describe("settle", () => {
  it("takes the answer as the new base and leaves nothing", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const answer = person(2, family("Reyes"));
    expect(story.answer({ kind: "accepted", record: answer })).toMatchObject({
      entry: null,
      local: answer,
      ended: [{ edit: { id: "e1" }, end: "accepted" }],
    });
  });

  it("rebases edits made meanwhile on the answer, of which they are the successor", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    story.edit(person(1, family("Santos")));
    const settled = story.answer({ kind: "accepted", record: person(2, family("Reyes")) });
    expect(settled).toMatchObject({
      entry: { base: person(2, family("Reyes")), edits: [{ id: "e2" }], request: null, parked: null },
      local: person(2, family("Santos")),
      ended: [{ edit: { id: "e1" }, end: "accepted" }],
    });
  });

  it("parks a later edit that meets somebody else's, with the sent copy as what both began from", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    story.edit(person(1, family("Santos"))).pull(person(3, family("Bautista")));
    const settled = story.answer({ kind: "accepted", record: person(2, family("Reyes")) });
    expect(settled.entry).toMatchObject({
      base: family("Reyes"),
      parked: { reason: "conflict", theirs: family("Bautista") },
    });
    expect(settled.local).toMatchObject(family("Santos"));
  });

  it("parks an edit of a record that was archived meanwhile, and keeps both as they are", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const settled = story.answer({ kind: "conflict", theirs: person(2, { active: false }) });
    expect(settled.entry).toMatchObject({ base: person(1), request: null, parked: { reason: "gone" } });
    expect(settled.local).toEqual(person(1, family("Reyes")));
  });

  it("sends an edit of an archived record when a person insists, and then lets go of it", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const parked = story.answer({ kind: "conflict", theirs: person(2, { active: false }) });
    const decided = decide(parked.entry as OutboxEntry, parked.local as JsonObject, {
      at: "2026-01-15T08:00:00.000Z",
      kind: "retry",
      judge: () => undefined,
    });
    if (decided.kind === "refused") throw new Error(decided.problem.detail);
    const again = Object.assign(new Story(person(1)), decided.settled).freeze();
    const merged = again.answer({ kind: "conflict", theirs: person(2, { active: false }) });
    expect(merged).toMatchObject({ entry: { parked: null }, local: { active: false, ...family("Reyes") } });
    const sent = Object.assign(new Story(person(1)), merged).freeze();
    const last = sent.answer({ kind: "accepted", record: person(3, { active: false, ...family("Reyes") }) });
    expect(withoutLeft(sent.entry as OutboxEntry, last)).toMatchObject({ entry: null, local: null });
  });

  it("sends on what was corrected while the faulty request was under way, and parks what was not", () => {
    const rejected: Verdict = { kind: "rejected", detail: "?", errors: [] };
    const story = new Story(person(1)).edit(person(1, family("?"))).freeze();
    expect(story.answer(rejected).entry).toMatchObject({ parked: { reason: "rejected" } });
    const corrected = story.edit(person(1, family("Reyes"))).answer(rejected);
    expect(corrected).toMatchObject({ entry: { request: null, parked: null }, local: family("Reyes") });
  });

  it("keeps what a pull brought while the outcome was unknown, and takes it when it is newer than the answer", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    story.pull(person(3, { ...family("Reyes"), active: false }));
    expect(story.entry).toMatchObject({ base: person(1), request: { key: "key" } });
    const settled = story.answer({ kind: "accepted", record: person(2, family("Reyes")) });
    expect(settled).toMatchObject({ entry: null, local: { active: false, meta: { versionId: "3" } } });
  });

  const answers: readonly Verdict[] = [
    { kind: "accepted", record: person(2, family("Reyes")) },
    { kind: "conflict", theirs: person(2, given("Anita")) },
  ];
  it.each(answers)("takes it under another number too, when the answer has the old one: $kind", (verdict) => {
    const numbered = { identifier: [{ system: "urn:test", value: "2" }], birthDate: "1990-01-01" };
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const { entry, local } = story.pull(person(3, { ...family("Reyes"), ...numbered })).answer(verdict);
    expect(entry).toBeNull();
    expect(local).toMatchObject({ ...family("Reyes"), ...numbered, meta: { versionId: "3" } });
  });

  it("does not go back to the old answer of a replay when base is newer", () => {
    const story = new Story(person(5)).edit(person(5, family("Reyes"))).freeze();
    const settled = story.answer({ kind: "accepted", record: person(2, family("Reyes")) });
    expect(settled).toMatchObject({ entry: null, local: { meta: { versionId: "5" } } });
  });

  it("merges a conflict on other fields and goes on with a new request", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const settled = story.answer({ kind: "conflict", theirs: person(2, given("Anita")) });
    expect(settled).toMatchObject({
      entry: { base: person(2, given("Anita")), request: null, parked: null, edits: [{ id: "e1" }] },
      local: { name: { family: "Reyes", given: "Anita" } },
      ended: [],
    });
  });

  it("is done when the conflict's other side says the same", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const settled = story.answer({ kind: "conflict", theirs: person(2, family("Reyes")) });
    expect(settled).toMatchObject({ entry: null, ended: [{ end: "merged" }] });
  });

  it("parks a conflict on the same field and keeps base, ours and theirs", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const settled = story.answer({ kind: "conflict", theirs: person(2, family("Santos")) });
    expect(settled).toMatchObject({
      entry: {
        base: person(1),
        request: null,
        parked: { reason: "conflict", theirs: person(2, family("Santos")) },
      },
      local: person(1, family("Reyes")),
    });
  });

  it("asks a person when the server refuses the same version again and again", () => {
    let story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    for (let round = 0; round < 5 && story.entry && !story.entry.parked; round++) {
      const settled = story.freeze().answer({ kind: "conflict", theirs: person(1) });
      story = Object.assign(new Story(settled.local ?? {}), { entry: settled.entry });
    }
    expect(story.entry?.parked).toMatchObject({ reason: "conflict" });
  });

  const refusals: readonly [Verdict, string][] = [
    [{ kind: "rejected", detail: "bad", errors: [] }, "rejected"],
    [{ kind: "forbidden", detail: "no" }, "forbidden"],
    [{ kind: "gone", detail: "gone" }, "gone"],
    [{ kind: "duplicate", detail: "twice", existing: "x", theirs: null, own: false }, "duplicate"],
  ];
  it.each(refusals)("parks what is refused and drops nothing: $kind", (verdict, reason) => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const settled = story.answer(verdict);
    expect(settled).toMatchObject({
      entry: { parked: { reason }, request: null, edits: [{ id: "e1" }] },
      local: person(1, family("Reyes")),
      ended: [],
    });
  });

  it("sends the same bytes again after an unknown outcome, however the record was edited since", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).freeze();
    const request = story.entry?.request;
    story.edit(person(1, family("Santos")));
    const settled = story.answer({ kind: "unknown", detail: "lost", nextAttemptAt: null });
    expect(settled.entry).toMatchObject({ request, attempts: 1 });
    expect(settled.entry?.edits).toHaveLength(2);
  });

  it("sends a corrected record on its way again, and leaves a conflict to its decision", () => {
    const rejected = new Story(person(1)).edit(person(1, family("?"))).freeze();
    const settled = rejected.answer({ kind: "rejected", detail: "bad", errors: [] });
    const corrected = Object.assign(new Story(rejected.local), { entry: settled.entry }).edit(
      person(1, family("Reyes")),
    );
    expect(corrected.entry?.parked).toBeNull();
  });

  it("lets go of a record that left while its last request was under way, and parks what was edited since", () => {
    const done = new Story(person(1))
      .edit(person(1, family("Reyes")))
      .freeze()
      .removed();
    expect(done.answer({ kind: "accepted", record: person(2, family("Reyes")) })).toMatchObject({
      entry: null,
      local: null,
    });
    const edited = new Story(person(1))
      .edit(person(1, family("Reyes")))
      .freeze()
      .edit(person(1, family("Santos")))
      .removed();
    expect(edited.answer({ kind: "accepted", record: person(2, family("Reyes")) })).toMatchObject({
      entry: { parked: { reason: "gone" }, edits: [{ id: "e2" }] },
      local: family("Santos"),
    });
  });
});

describe("absorb", () => {
  it("rebases unsent edits at once and shows conflicts early", () => {
    const clean = new Story(person(1)).edit(person(1, family("Reyes"))).pull(person(2, given("Anita")));
    expect(clean.local).toMatchObject({
      name: { family: "Reyes", given: "Anita" },
      meta: { versionId: "2" },
    });
    const conflicting = new Story(person(1))
      .edit(person(1, family("Reyes")))
      .pull(person(2, family("Santos")));
    expect(conflicting.entry).toMatchObject({ base: person(1), parked: { reason: "conflict" } });
    expect(conflicting.local).toMatchObject(family("Reyes"));
  });

  it("ignores what it knows already", () => {
    const story = new Story(person(2)).edit(person(2, family("Reyes")));
    const { entry } = story;
    expect(story.pull(person(1, family("Old"))).entry).toBe(entry);
  });

  it("frees a parked conflict when the other side changes its mind", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes")));
    story.pull(person(2, family("Santos"))).pull(person(3, given("Anita")));
    expect(story.entry).toMatchObject({ parked: null, base: person(3, given("Anita")) });
    expect(story.local).toMatchObject({ name: { family: "Reyes", given: "Anita" } });
  });

  it("takes an absent photo for unknown", () => {
    const story = new Story(person(1, { photo: "data:old" })).edit(
      person(1, { ...family("Reyes"), photo: "data:old" }),
    );
    expect(story.pull(person(2, given("Anita"))).local).toMatchObject({ photo: "data:old" });
  });

  it("lets go of the photo with whatever else a copy does not tell any more", () => {
    const known = { birthDate: "1990-01-01", photo: "data:old" };
    const story = () => new Story(person(1, known)).edit(person(1, { ...family("Reyes"), ...known }));
    const { meta: _, ...unversioned } = person(1, known);
    const { photo: __, ...untold } = unversioned;
    for (const theirs of [person(1), person(2), untold]) {
      expect(story().pull(theirs).local).not.toHaveProperty("photo");
    }
  });

  it("parks an edited record that left", () => {
    const story = new Story(person(1)).edit(person(1, family("Reyes"))).removed();
    expect(story.entry).toMatchObject({ parked: { reason: "gone" }, edits: [{ id: "e1" }] });
  });
});
