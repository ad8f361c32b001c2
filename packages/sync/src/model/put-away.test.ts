import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { newEntry } from "./edits.ts";
import type { FrozenRequest, OutboxEntry } from "./entry.ts";
import { park } from "./park.ts";
import { compared, putAway, withoutEdits } from "./put-away.ts";

const at = "2026-01-15T08:00:00.000Z";
const name = { type: "Individual", key: "k" } as const;
const record = { type: "Individual", name: { given: "Ana" }, meta: { versionId: "5" } };
const anew = { ...record, meta: { versionId: "0" } };
const standing: OutboxEntry = { ...newEntry(name, record), base: record };
const conflicting: OutboxEntry = { ...standing, parked: park("conflict", "", { theirs: record, since: at }) };
const request = (epoch: string | null, ifMatch: string | null = "5"): FrozenRequest => ({
  ...{ key: "r", method: "PATCH", path: "/x", contentType: "", ifMatch, epoch, body: "" },
  ...{ sent: record, covers: [], frozenAt: at },
});

describe("work without edits that are known", () => {
  const edit = (id: string, patch: JsonObject) => ({ id, at, by: "t", patch });
  const edits = [edit("e1", { name: { given: "Bea" } }), edit("e2", { birthDate: "1990-01-01" })];
  const known = new Set(["e1"]);
  const both = { covers: ["e1", "e2"] };
  const sent = { ...record, name: { given: "Bea" }, birthDate: "1990-01-01" };

  it.each([
    { what: "no request", entry: {}, name: "Bea" },
    {
      what: "a request that carries both",
      entry: { request: { ...request("e1"), ...both, sent } },
      name: "Bea",
    },
    { what: "what they come to", entry: { comesTo: { patch: {}, covers: ["e1"] } }, name: "Ana" },
  ])("stands on what these say and no more: $what", ({ entry, name }) => {
    const left = withoutEdits({ ...standing, edits, epoch: "e1", ...entry }, known);
    expect(left).toMatchObject({ edits: [{ id: "e2" }], request: null });
    expect(left?.base).toEqual({ ...anew, name: { given: name } });
    expect(left).not.toHaveProperty("comesTo");
  });

  it("is whole where nobody can tell them from the others", () => {
    const entry = { ...standing, edits, comesTo: { patch: {}, ...both } };
    expect(withoutEdits(entry, known)).toBe(entry);
  });
});

describe("work that is put away", () => {
  it.each([
    { what: "one that stands on a version", entry: standing, epoch: "e1" },
    { what: "one that is compared with a version", entry: { ...conflicting, base: null }, epoch: "e1" },
    { what: "one that was put away before", entry: { ...standing, epoch: "e0" }, epoch: "e0" },
    { what: "one that stands on none", entry: newEntry(name, record), epoch: undefined },
  ])("says which state of the data it stands on: $what", ({ entry, epoch }) => {
    expect(putAway(entry, "e1").epoch).toBe(epoch);
  });

  it.each([
    { what: "the same state", former: "e1", now: "e1", base: record },
    { what: "another state", former: "e1", now: "e2", base: anew },
    { what: "an unknown state", former: null, now: "e2", base: anew },
    { what: "a server that tells none", former: "e1", now: null, base: anew },
    { what: "a server without epochs", former: null, now: "plain:1", base: record },
  ])("stands on its version where that still counts: $what", ({ former, now, base }) => {
    expect(compared({ ...standing, epoch: former }, now)).toEqual({ ...standing, base });
  });

  it("lets go of a version to compare with, too", () => {
    expect(compared({ ...conflicting, epoch: "e1" }, "e2").parked?.theirs).toEqual(anew);
  });

  it.each([
    { what: "of the former state", kept: false, of: request("e1") },
    { what: "of nobody knows which", kept: false, of: request(null) },
    { what: "of the present state", kept: true, of: request("e2") },
    { what: "that replaces no version", kept: true, of: request("e1", null) },
  ])("lets go of a request that replaces a version of another state: $what", ({ of, kept }) => {
    const entry = compared({ ...standing, epoch: "e1", request: of, attempts: 2 }, "e2");
    expect([entry.request, entry.attempts]).toEqual(kept ? [of, 2] : [null, 0]);
  });
});
