import type { ParkedRecord } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { comparedOf } from "./compared.ts";
import { valueText } from "./conflict-text.ts";

const ours = {
  name: { given: "Ana", family: "Reyes" },
  birthDate: "1990-05-01",
  birthDateEstimated: false,
  address: [{ city: "Imus" }],
};
const birth = { together: ["/birthDate", "/birthDateEstimated"] };
const day = { path: "/birthDate", ours: "1990-05-01", theirs: "1980-01-01", ...birth };

const parked = (theirs: object | null, more: object = {}) =>
  ({
    type: "Individual",
    reason: "duplicate",
    ours,
    theirs,
    conflicts: [],
    ...more,
  }) as unknown as ParkedRecord;

const told = (record: ParkedRecord) =>
  comparedOf(record)?.places.map(({ path, ours: own, theirs }) => [
    path,
    valueText(path, own),
    valueText(path, theirs),
  ]);

describe("a record beside the one that is registered already", () => {
  it("is told by name, birth and place, also where they are the same", () => {
    expect(told(parked(ours))).toEqual([
      ["/name", "Ana Reyes", "Ana Reyes"],
      ["/birthDate", "1 May 1990", "1 May 1990"],
      ["/address", "Imus", "Imus"],
    ]);
    expect(comparedOf(parked(ours))?.differs).toBe(false);
  });

  it("is told of what else differs, and not twice of what is asked about", () => {
    const other = { ...ours, birthDate: "1980-01-01", active: false };
    const record = parked(other, { conflicts: [day] });
    expect(told(record)).toEqual([
      ["/name", "Ana Reyes", "Ana Reyes"],
      ["/address", "Imus", "Imus"],
      ["/active", "Not given", "No"],
    ]);
    expect(comparedOf(record)?.differs).toBe(true);
  });

  it("is told whole where a part of the name is asked about", () => {
    const other = { ...ours, name: { given: "Ana", family: "Cruz" } };
    const conflicts = [{ path: "/name/family", ours: "Reyes", theirs: "Cruz" }];
    expect(told(parked(other, { conflicts }))?.[0]).toEqual(["/name", "Ana Reyes", "Ana Cruz"]);
  });

  it("is not there where the other one is not shown", () => {
    expect(comparedOf(parked(null))).toBeNull();
  });
});

it("two versions of one record are told apart by what differs alone", () => {
  const record = parked({ ...ours, birthDate: "1980-01-01" }, { reason: "rejected" });
  expect(told(record)?.map(([path]) => path)).toEqual(["/birthDate"]);
});
