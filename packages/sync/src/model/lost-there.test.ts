import type { JsonObject } from "@fieldroll/core";
import { expect, it } from "vitest";
import { absorb } from "./absorb.ts";
import type { Accepted } from "./accepted.ts";
import type { OutboxEntry } from "./entry.ts";
import { giveBack, hiddenKnown } from "./given-back.ts";
import { whoWas } from "./hidden.ts";
import { giveAgain } from "./lost.ts";

const at = "2026-01-15T08:00:00.000Z";
const named = { type: "Individual", key: "k", reference: "Individual/urn:service:registrant|1" } as const;
const calls = (...values: string[]) => ({ telecom: values.map((value) => ({ system: "phone", value })) });
const born = (birthDate: string) => ({ birthDate });

const waiting: OutboxEntry = {
  ...{ ...named, base: null, edits: [], request: null, incoming: null, parked: null },
  ...{ attempts: 0, rebases: 0, nextAttemptAt: null, lastAnswer: null },
  ...{ provides: [], needs: [], releases: [], answers: [] },
};

function person(version: number, rest: JsonObject): JsonObject {
  const meta = { versionId: String(version), lastUpdated: at, source: "urn:test" };
  return { type: "Individual", name: { family: "Cruz", given: "Ana" }, ...rest, meta };
}

// Found by the simulator, seed 23009.
it("a restored server is not given again what it has, where work from before that contradicts it and lists stand in another order", () => {
  const held = person(0, { ...born("1943-01-09"), ...calls("2", "1") });
  const shown = { ...held, ...born("1926-08-11"), ...calls("2", "1", "3") };
  const theirs = person(23, { ...born("1928-03-11"), ...calls("1", "2", "4") });
  const edit = { id: "unsent", at, by: "t", patch: { ...born("1926-08-11"), ...calls("2", "1", "3") } };
  const done: Accepted = {
    ...{ epoch: "former", versionId: 13, reference: named.reference, at },
    edit: { id: "accepted", at, by: "t" },
    before: { ...born("1943-01-09"), ...calls("1", "2") },
    after: { ...born("1928-03-11"), ...calls("1", "2", "4") },
  };
  const known = {
    ...named,
    entry: { ...waiting, base: held, edits: [edit] },
    local: shown,
    accepted: [done],
  };
  const settled = giveAgain(known, { record: theirs }, { at, epoch: "restored" });
  expect(settled?.entry?.edits).toEqual([edit]);
  expect(settled?.entry?.parked).toMatchObject({ reason: "conflict", theirs: born("1928-03-11") });
});

// Found by the simulator, seed 64036.
it("a record that a restored server lost is given back with what was accepted of it after the copy on which unsent work stands", () => {
  const held = person(2, calls("1"));
  const family = { name: { family: "Diaz", given: "Ana" } };
  const shown = { ...held, ...family, ...calls("1", "3") };
  const edit = { id: "unsent", at, by: "t", patch: { ...family, ...calls("1", "3") } };
  const done: Accepted = {
    ...{ epoch: "former", versionId: 3, reference: named.reference, at },
    edit: { id: "accepted", at, by: "t" },
    before: { name: held.name ?? null, ...calls("1") },
    after: { name: { family: "Reyes", given: "Ana" }, ...calls("1", "2") },
  };
  const known = {
    ...named,
    entry: { ...waiting, base: held, edits: [edit] },
    local: shown,
    accepted: [done],
  };
  const back = giveBack(known, true, { at, epoch: "restored" });
  expect(back?.entry?.edits.map(({ id }) => id)).toEqual(["accepted", "unsent"]);
  expect(back?.local).toMatchObject({ ...family, ...calls("1", "2", "3") });
  expect(back?.entry?.lost).toMatchObject(calls("1"));
});

it("of a record that may be hidden, what was changed here is given back, and stays, with who it is unseen", () => {
  const held = person(2, { ...calls("1"), ...born("1943-01-09") });
  const shown = { ...held, ...calls("1", "2") };
  const edit = { id: "unsent", at, by: "t", patch: calls("1", "2") };
  const known = { ...named, entry: { ...waiting, base: held, edits: [edit] }, local: shown, accepted: [] };
  const back = giveBack(hiddenKnown(known, at), true, { at, epoch: "restored" });
  expect(back?.local).toMatchObject({ type: "Individual", ...calls("2") });
  for (const hidden of ["name", "birthDate"]) expect(back?.local).not.toHaveProperty(hidden);
  expect(back?.entry?.left).toBeUndefined();
  const who = { name: held.name, birthDate: held.birthDate };
  expect(whoWas(back?.local ?? {}, back?.entry?.lost ?? {})).toMatchObject(who);
});

it("of a record that was forgotten here, and was made here, what was accepted says who it is", () => {
  const made: Accepted = {
    ...{ epoch: "former", versionId: 1, reference: named.reference, at },
    ...{ edit: { id: "accepted", at, by: "t" }, before: null, after: person(1, calls("1")) },
  };
  const back = giveBack({ ...named, entry: null, local: null, accepted: [made] }, false, {
    at,
    epoch: "restored",
  });
  expect(back?.local).toMatchObject(calls("1"));
  expect(back?.entry?.lost).not.toHaveProperty("meta.who");
});

it("what somebody else did too counts as accepted from here, also where news of it makes a conflict of the rest", () => {
  const held = person(1, { ...born("1943-01-09"), ...calls("1") });
  const patch = { ...born("1926-08-11"), ...calls("1", "2") };
  const entry = { ...waiting, base: held, edits: [{ id: "unsent", at, by: "t", patch }] };
  const record = person(2, { ...born("1928-03-11"), ...calls("1", "2") });
  const settled = absorb(entry, { ...held, ...patch }, { kind: "upsert", record }, { at, epoch: "present" });
  expect(settled.entry?.parked?.reason).toBe("conflict");
  expect(settled.accepted).toMatchObject({ before: calls("1"), after: calls("1", "2"), isPart: true });
});
