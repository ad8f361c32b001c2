import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createRecordRegistry } from "../create-registry.ts";

const registry = createRecordRegistry({
  store: createMemoryStore(),
  newId: () => "01930000-0000-7000-8000-000000000000",
  clock: () => new Date("2026-11-21T08:00:00.000Z"),
});

const meta = { versionId: "2", lastUpdated: "2026-11-20T08:00:00.000Z", source: "urn:test" };
const identifier = [{ system: "urn:nid", value: "7" }];
const person = (rest: JsonObject): JsonObject => ({
  ...{ type: "Individual", identifier, name: { family: "Reyes" }, meta },
  ...rest,
});
const enrollment = (status: string, rest: JsonObject = {}): JsonObject => ({
  ...{ type: "ProgramMembership", identifier, status, meta },
  program: { reference: "Program/urn:program|1" },
  beneficiary: { reference: "Individual/urn:nid|7" },
  ...rest,
});
const left = { enrollmentDate: "2026-01-01", exitDate: "2026-11-01", exitReason: "moved" };

describe("a merged record", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "that is sound",
      person({ birthDate: "1990-01-01" }),
      person({ birthDate: "1990-01-01" }),
      person({ birthDate: "1988-04-02" }),
    ],
    ["with a fault of ours", person({ birthDate: "x" }), person({ birthDate: "x" }), person({})],
    ["with a fault of theirs", person({ birthDate: "x" }), person({}), person({ birthDate: "x" })],
    [
      "with a fault of each",
      person({ birthDate: "x", gender: 5 }),
      person({ birthDate: "x" }),
      person({ gender: 5 }),
    ],
    [
      "without what theirs is not shown",
      { type: "Individual", identifier, birthDate: "1990-01-01" },
      person({ birthDate: "1990-01-01" }),
      { type: "Individual", identifier, meta },
    ],
  ])("passes: %s", (_, record, ours, theirs) => {
    expect(registry.judge({ type: "Individual", record, ours, theirs })).toBeUndefined();
  });

  it("is refused for the faults alone that neither copy has", () => {
    const [ours, theirs] = [person({ gender: 5 }), person({ birthDate: "1988-04-02" })];
    const record = person({ gender: 5, birthDate: "x" });
    expect(registry.judge({ type: "Individual", record, ours, theirs })).toMatchObject({
      kind: "validation",
      errors: [{ field: "/birthDate" }],
    });
  });

  it("is refused for another fault at a place where a copy has one", () => {
    const [ours, theirs] = [person({ birthDate: "y" }), person({})];
    const record = person({ birthDate: "x" });
    expect(registry.judge({ type: "Individual", record, ours, theirs })).toMatchObject({
      errors: [{ field: "/birthDate" }],
    });
  });
});

describe("a merged enrollment", () => {
  const judge = (record: JsonObject, ours: JsonObject, theirs: JsonObject) =>
    registry.judge({ type: "ProgramMembership", record, ours, theirs });

  it("goes on from where theirs is, not ours", () => {
    const [paused, exited] = [enrollment("paused"), enrollment("exited", left)];
    expect(judge(paused, paused, exited)).toMatchObject({
      kind: "validation",
      errors: [{ field: "/status", code: "invalid_transition" }],
    });
    expect(judge(exited, paused, exited)).toBeUndefined();
    expect(judge(exited, exited, paused)).toBeUndefined();
  });

  it("is refused where its status and the day of the exit are of different sides", () => {
    const [ours, theirs] = [enrollment("exited", left), enrollment("enrolled")];
    expect(judge(enrollment("enrolled", left), ours, theirs)).toMatchObject({
      errors: [{ field: "/exitDate" }, { field: "/exitReason" }],
    });
  });

  it("passes where its beneficiary is called by another name", () => {
    const beneficiary = { reference: "Individual/urn:other|8" };
    const [ours, theirs] = [enrollment("paused", { beneficiary }), enrollment("enrolled")];
    expect(judge(ours, ours, theirs)).toBeUndefined();
  });
});
