import { afterEach, describe, expect, it, vi } from "vitest";
import type { FrozenRequest, OutboxEntry } from "./entry.ts";
import { type EntryPlace, lawful, moves, placeOf, violation } from "./machine.ts";
import { park } from "./park.ts";
import type { EndedEdit, Settled } from "./settled.ts";

const at = "2026-01-15T08:00:00.000Z";
const edit = (id: string) => ({ id, at, by: "tablet", patch: { active: false } });

const request: FrozenRequest = {
  ...{ key: "k", method: "PATCH", path: "/Individual/urn:x|1", contentType: "application/json" },
  ...{ ifMatch: "1", body: "{}", sent: {}, covers: ["1"], frozenAt: at },
};

const pending: OutboxEntry = {
  ...{ type: "Individual", key: "a", reference: "Individual/urn:x|1", base: {}, edits: [edit("1")] },
  ...{ request: null, incoming: null, parked: null, attempts: 0, rebases: 0, nextAttemptAt: null },
  ...{ lastAnswer: null, provides: [], needs: [] },
};
const entries: Readonly<Record<EntryPlace, OutboxEntry | null>> = {
  none: null,
  pending,
  sending: { ...pending, request },
  parked: { ...pending, parked: park("conflict", "Choose.", { since: at }) },
};
const places = Object.keys(entries) as EntryPlace[];
const ended: readonly EndedEdit[] = [{ edit: edit("1"), end: "accepted" }];

function to(place: EntryPlace): Settled {
  return { entry: entries[place], local: null, ended: place === "none" ? ended : [] };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the machine of an entry", () => {
  const steps = places.flatMap((from) => places.map((next) => [from, next] as const));
  const legal = steps.filter(([from, next]) => moves[from][next] !== undefined);
  const illegal = steps.filter(([from, next]) => moves[from][next] === undefined);

  it.each(legal)("lets an entry go from %s to %s", (from, next) => {
    expect(placeOf(to(next).entry)).toBe(next);
    expect(violation(entries[from], to(next))).toBeNull();
    expect(lawful(entries[from], to(next), at)).toEqual(to(next));
  });

  it("has two ways that are none: a request leaves only what was pending", () => {
    expect(illegal).toEqual([
      ["none", "sending"],
      ["parked", "sending"],
    ]);
  });

  it("lets go of a request that was frozen early, and of no word of one that stays", () => {
    const early = { ...pending, request: { ...request, early: true } };
    const anew = { ...pending, request: { ...request, key: "other", body: "[]" } };
    expect(violation(early, { ...to("sending"), entry: anew })).toBeNull();
    const changed = { ...pending, request: { ...request, body: "[]" } };
    expect(violation(early, { ...to("sending"), entry: changed })).toContain("was to be changed");
  });

  const faults: readonly (readonly [string, OutboxEntry | null, Settled])[] = [
    ["An entry went from none to sending.", null, to("sending")],
    ["An entry went from parked to sending.", entries.parked, to("sending")],
    ["An edit was to vanish.", pending, { ...to("none"), ended: [] }],
    [
      "An edit was to vanish.",
      { ...pending, edits: [edit("1"), edit("2")] },
      { ...to("pending"), ended: [] },
    ],
    [
      "A request that is under way was to be changed.",
      entries.sending,
      { ...to("sending"), entry: { ...pending, request: { ...request, key: "other" } } },
    ],
    [
      "A request that is under way was to be changed.",
      entries.sending,
      { ...to("sending"), entry: { ...pending, request: { ...request, body: '{"active":true}' } } },
    ],
    [
      "An entry waits for a person while its request is under way.",
      entries.sending,
      { ...to("parked"), entry: { ...pending, request, parked: park("gone", "Gone.", { since: at }) } },
    ],
  ];

  it.each(faults)("forbids it: %s", (fault, before, settled) => {
    expect(violation(before, settled)).toBe(fault);
    expect(() => lawful(before, settled, at)).toThrow(fault);
  });

  it.each(faults)("keeps every edit and asks a person outside of tests: %s", (fault, before, settled) => {
    vi.stubEnv("NODE_ENV", "production");
    const kept = lawful(before, settled, at);
    expect(violation(before, kept)).toBeNull();
    expect(kept.entry?.edits).toEqual((before ?? settled.entry)?.edits);
    expect(kept.entry?.parked).toMatchObject({ reason: "rejected", since: at });
    expect(kept.entry?.parked?.detail).toContain(fault);
    expect(kept.ended).toEqual([]);
  });
});
