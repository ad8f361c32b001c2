import { describe, expect, it } from "vitest";
import { isStarting } from "./starting.ts";

const stopped = { phase: "stopped", signedInAs: null, lastError: null } as const;

describe("isStarting", () => {
  it.each([
    ["the first worker opens the records", stopped, false, true],
    ["the worker is ready", { ...stopped, phase: "signed-out" } as const, false, false],
    ["another area starts another worker", stopped, true, false],
    ["another worker could not start", { ...stopped, lastError: "No room" }, true, true],
    ["someone is signed in", { ...stopped, signedInAs: "ana" }, false, false],
  ])("when %s", (_, status, begun, starting) => {
    expect(isStarting(status, begun)).toBe(starting);
  });
});
