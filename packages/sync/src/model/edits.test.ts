import { expect, it } from "vitest";
import { newEntry, withoutGone } from "./edits.ts";

const edit = (patch: object) => ({
  id: "1",
  at: "2026-01-01T00:00:00.000Z",
  by: "tablet",
  patch: { ...patch },
});

it("leaves out of edits the items that went from a record's lists, wherever these are, and its identifiers in", () => {
  const was = {
    identifier: [{ system: "urn:x", value: "1" }],
    telecom: [{ value: "theirs" }, { value: "mine" }],
    gender: { coding: [{ code: "theirs" }, { code: "mine" }], text: "mine" },
    name: { family: "Mine" },
  };
  const is = {
    telecom: [{ value: "mine" }],
    gender: { coding: [{ code: "mine" }] },
    name: { family: "Mine" },
  };
  const entry = { ...newEntry({ type: "Individual", key: "k" }, was), edits: [edit(was)] };
  expect(withoutGone(entry, was, is).edits[0]?.patch).toEqual({
    ...was,
    telecom: [{ value: "mine" }],
    gender: { coding: [{ code: "mine" }], text: "mine" },
  });
  expect(withoutGone(entry, was, was).edits).toEqual(entry.edits);
});
