import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { caughtUp, withOwn } from "./redo.ts";

const family = (name: string) => ({ name: { family: name, given: "Ana" } });
const calls = (...values: string[]) => ({ telecom: values.map((value) => ({ system: "phone", value })) });

function person(version: number, rest: JsonObject): JsonObject {
  const meta = { versionId: String(version), lastUpdated: "2026-01-15T08:00:00.000Z", source: "urn:test" };
  return { type: "Individual", ...rest, meta };
}

describe("unsent work from elsewhere, on a tablet from which something else has arrived since", () => {
  const renamed = { versionId: 2, before: family("Cruz"), after: family("Santos") };
  const called = { versionId: 3, before: {}, after: calls("1") };

  it.each([
    {
      name: "counts as made upon that where it changed something else",
      accepted: [called],
      isThere: true,
      held: { ...family("Cruz"), ...calls("1") },
      shown: { ...family("Reyes"), ...calls("1") },
    },
    {
      name: "meets it as a conflict where both changed the same, and the server has the other",
      accepted: [renamed, called],
      isThere: true,
      held: { ...family("Cruz"), ...calls("1") },
      shown: { ...family("Reyes"), ...calls("1") },
    },
    {
      name: "goes on top of it where the server has lost the other",
      accepted: [renamed, called],
      isThere: false,
      held: { ...family("Santos"), ...calls("1") },
      shown: { ...family("Reyes"), ...calls("1") },
    },
    {
      name: "knows of what is no later than its copy",
      accepted: [{ ...called, versionId: 1 }],
      isThere: true,
      held: family("Cruz"),
      shown: family("Reyes"),
    },
  ])("$name", ({ accepted, isThere, held, shown }) => {
    const copies = { held: person(1, family("Cruz")), shown: person(1, family("Reyes")) };
    expect(caughtUp("Individual", copies, { accepted, isThere: () => isThere })).toEqual({
      held: person(1, held),
      shown: person(1, shown),
    });
  });
});

it("who is shown in part gets back what was done here, not what others wrote beside it", () => {
  const renamed = { before: family("Cruz"), after: family("Santos") };
  const called = { before: calls("1"), after: calls("1", "2") };
  expect(withOwn("Individual", { birthDate: "1990-01-01" }, [renamed, called])).toEqual({
    birthDate: "1990-01-01",
    name: { family: "Santos" },
    ...calls("2"),
  });
  const shown = { name: { given: "Ana Maria" } };
  expect(withOwn("Individual", shown, [renamed])).toEqual({ name: { family: "Santos", given: "Ana Maria" } });
});
