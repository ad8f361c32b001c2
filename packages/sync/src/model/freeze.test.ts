import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { freeze } from "./freeze.ts";

const at = "2026-01-15T08:00:00.000Z";
const meta = { versionId: "7", lastUpdated: at, source: "urn:test" };
const options = { key: "key", at };
const ana: JsonObject = {
  type: "Individual",
  identifier: [{ system: "urn:test#1", value: "1" }],
  name: { family: "Cruz", given: "Ana" },
};

function entryOf(type: OutboxEntry["type"], states: readonly JsonObject[], made: boolean): OutboxEntry {
  let entry: OutboxEntry | null = null;
  const [first, ...rest] = states;
  let before: JsonObject | null = made ? null : (first ?? null);
  for (const [i, after] of (made ? states : rest).entries()) {
    entry = addEdit(entry, { type, key: "k", before, after, by: "t", at }, `e${i + 1}`);
    before = after;
  }
  if (!entry) throw new Error("no edit");
  return entry;
}

describe("freeze", () => {
  it("posts the whole of a record made here, without what only the server writes", () => {
    const local = { ...ana, meta: { ...meta, versionId: "0" } };
    const frozen = freeze(entryOf("Individual", [local], true), local, options);
    expect(frozen).toMatchObject({
      request: { method: "POST", path: "/Individual", ifMatch: null, key: "key", covers: ["e1"] },
    });
    if (frozen.kind === "request") expect(JSON.parse(frozen.request.body)).toEqual(ana);
  });

  it("patches what differs from base, at base's address and version", () => {
    const [base, local] = [
      { ...ana, meta },
      { ...ana, name: { family: "Reyes" }, identifier: [{ system: "urn:new", value: "2" }], meta },
    ];
    const frozen = freeze(entryOf("Individual", [base, local], false), local, options);
    expect(frozen).toMatchObject({
      request: {
        method: "PATCH",
        path: "/Individual/urn:test%231|1",
        ifMatch: "7",
        contentType: "application/merge-patch+json",
        body: JSON.stringify({
          identifier: [{ system: "urn:new", value: "2" }],
          name: { given: null, family: "Reyes" },
        }),
      },
    });
  });

  it.each([
    ["the last extension", undefined, { birthDate: "1990-01-01", extension: { farmer: null } }],
    ["one of two", { disability: {} }, { birthDate: "1990-01-01", extension: { farmer: null } }],
    ["nothing", { farmer: {}, disability: {} }, { birthDate: "1990-01-01" }],
  ])("takes away %s by its name: the server may have others", (what, extension, patch) => {
    const both = what === "the last extension" ? { farmer: {} } : { farmer: {}, disability: {} };
    const base = { ...ana, extension: both, meta };
    const local = { ...ana, birthDate: "1990-01-01", ...(extension && { extension }), meta };
    const frozen = freeze(entryOf("Individual", [base, local], false), local, options);
    expect(frozen.kind === "request" && JSON.parse(frozen.request.body)).toEqual(patch);
  });

  it("has nothing to send where an empty `extension` went", () => {
    const base = { ...ana, extension: {}, meta };
    const entry = entryOf("Individual", [base, { ...ana, meta }], false);
    expect(freeze(entry, { ...ana, meta }, options)).toEqual({ kind: "nothing" });
  });

  it("has nothing to send when the edits cancelled each other out", () => {
    const base = { ...ana, meta };
    const entry = entryOf("Individual", [base, { ...base, active: false }, base], false);
    expect(freeze(entry, base, options)).toEqual({ kind: "nothing" });
  });

  const membership = (status: string): JsonObject => ({
    type: "ProgramMembership",
    identifier: [{ system: "urn:m", value: "1" }],
    program: { reference: "Program/urn:p|1" },
    beneficiary: { reference: "Group/urn:g|1" },
    status,
    meta,
  });

  it("puts the whole of an enrollment", () => {
    const states = [membership("enrolled"), membership("paused")];
    const frozen = freeze(entryOf("ProgramMembership", states, false), membership("paused"), options);
    expect(frozen).toMatchObject({ request: { method: "PUT", ifMatch: "7", covers: ["e1"] } });
  });

  it("goes as far with an enrollment as one move of the server's rules goes", () => {
    const states = ["draft", "enrolled", "paused"].map(membership);
    const frozen = freeze(entryOf("ProgramMembership", states, false), membership("paused"), options);
    expect(frozen).toMatchObject({ request: { covers: ["e1"], sent: { status: "enrolled" } } });
  });

  it("says in each move what is shown now, and not what was decided against since", () => {
    const states = ["draft", "enrolled", "paused"].map(membership);
    const dated = states.map((state, nth) => (nth > 0 ? { ...state, enrollmentDate: "2026-01-02" } : state));
    const local = { ...membership("paused"), enrollmentDate: "2025-12-12" };
    const frozen = freeze(entryOf("ProgramMembership", dated, false), local, options);
    expect(frozen).toMatchObject({ request: { sent: { ...local, status: "enrolled" } } });
  });

  it("sends what no rule allows as it is, for the server to refuse", () => {
    const states = ["exited", "enrolled"].map(membership);
    const frozen = freeze(entryOf("ProgramMembership", states, false), membership("enrolled"), options);
    expect(frozen).toMatchObject({ request: { sent: { status: "enrolled" } } });
  });
});
