import { describe, expect, it } from "vitest";
import type { ConflictPolicies } from "./shape.ts";
import { resourceShapes } from "./shapes.ts";
import { merge, mixedChoice, resolveConflicts } from "./three-way.ts";

const shape = resourceShapes.Individual;
const phone = (value: string, more: object = {}) => ({ system: "phone", use: "mobile", value, ...more });

describe("resolveConflicts", () => {
  const base = { name: { family: "A" }, birthDate: "1990-01-01", telecom: [phone("1"), phone("2")] };
  const ours = { name: { family: "B" }, birthDate: "1990-01-01", telecom: [phone("2", { rank: 1 })] };
  const theirs = {
    name: { family: "C" },
    birthDate: "1991-01-01",
    telecom: [phone("1", { rank: 9 }), phone("2", { rank: 2 }), phone("3")],
  };
  const request = { base, ours, theirs, shape };

  it("takes each choice at its path", () => {
    const paths = sorted(merge(request).conflicts).map((conflict) => conflict.path);
    expect(paths).toEqual(["/name/family", "/telecom/0/rank", "/telecom/2"]);
    const choices = {
      "/name/family": { value: "D" },
      "/telecom/0/rank": "ours",
      "/telecom/2": "theirs",
    } as const;
    expect(resolveConflicts(request, choices)).toEqual({
      merged: {
        name: { family: "D" },
        birthDate: "1991-01-01",
        telecom: [phone("1", { rank: 9 }), phone("2", { rank: 1 }), phone("3")],
      },
      conflicts: [],
    });
  });

  it("leaves places without a choice in conflict", () => {
    const result = resolveConflicts(request, { "/name/family": "theirs" });
    expect(result.merged.name).toEqual({ family: "C" });
    expect(sorted(result.conflicts).map((conflict) => conflict.path)).toEqual([
      "/telecom/0/rank",
      "/telecom/2",
    ]);
  });

  it("takes a place away for a choice without a value", () => {
    expect(resolveConflicts(request, { "/name/family": {} }).merged.name).toEqual({});
  });

  it("refuses a path that is not in conflict", () => {
    expect(() => resolveConflicts(request, { "/birthDate": "ours" })).toThrow(
      /\/birthDate is not in conflict/,
    );
  });

  it("refuses both sides for what is decided together, and takes a value of its own with either", () => {
    const exited = { status: "exited", exitReason: "moved", exitDate: "2026-01-05" };
    const left = {
      ...{ base: { status: "enrolled" }, ours: exited, theirs: { status: "paused" } },
      shape: resourceShapes.ProgramMembership,
    };
    const { conflicts } = merge(left);
    const paused = { "/status": "theirs", "/exitReason": "theirs", "/exitDate": "theirs" } as const;
    const mixed = { ...paused, "/exitDate": "ours" } as const;
    expect(mixedChoice(conflicts, mixed)).toEqual(["/status", "/exitDate", "/exitReason"]);
    expect(() => resolveConflicts(left, mixed)).toThrow(/\/status, .* are decided together/);
    expect(resolveConflicts(left, paused).merged).toEqual({ status: "paused" });
    const own = { "/status": "ours", "/exitReason": "ours", "/exitDate": { value: "2026-01-06" } } as const;
    expect(resolveConflicts(left, own).merged).toEqual({ ...exited, exitDate: "2026-01-06" });
  });

  it("follows a choice against the policy", () => {
    const policy: ConflictPolicies = { "/name": "ask", "": "theirs" };
    expect(resolveConflicts({ ...request, policy }, { "/name/family": "ours" }).merged.name).toEqual({
      family: "B",
    });
  });
});

function sorted<T extends { readonly path: string }>(conflicts: readonly T[]): readonly T[] {
  return conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
