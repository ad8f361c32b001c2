import { describe, expect, it } from "vitest";
import { entriesDifference } from "./declared.ts";

describe("the entries that a change writes and erases", () => {
  it("are all of a new document, each value once", () => {
    const { write, erase } = entriesDifference({}, { name: ["b", "a", "b"], kind: [] });
    expect(write).toEqual([
      { idx: "name", value: "b", first: true },
      { idx: "name", value: "a", first: false },
    ]);
    expect(erase).toEqual([]);
  });

  it("are those values only that came, went or changed their being first", () => {
    const before = { name: ["a", "b", "c"], kind: ["x"], gone: ["y"] };
    const { write, erase } = entriesDifference(before, { name: ["b", "a", "d"], kind: ["x"] });
    expect(write).toEqual([
      { idx: "name", value: "b", first: true },
      { idx: "name", value: "a", first: false },
      { idx: "name", value: "d", first: false },
    ]);
    expect(erase).toEqual([
      { idx: "name", value: "c", first: false },
      { idx: "gone", value: "y", first: true },
    ]);
  });

  it.each(["constructor", "toString", "__proto__"])("are known in an index named %s", (index) => {
    const entries = Object.fromEntries([[index, ["a"]]]);
    const entry = { idx: index, value: "a", first: true };
    expect(entriesDifference({ other: ["b"] }, { ...entries, other: ["b"] })).toEqual({
      write: [entry],
      erase: [],
    });
    expect(entriesDifference(entries, {})).toEqual({ write: [], erase: [entry] });
  });
});
