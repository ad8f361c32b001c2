import { StoreError } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { safeModeCause } from "./safe-mode-cause.ts";

describe("safeModeCause", () => {
  it.each([
    ["no store in private mode", "absent", "no-storage"],
    ["no room", "quota", "no-space"],
    ["a newer version's store", "newer-schema", "newer-version"],
    ["an upgrade that another tab blocks", "blocked", "other-tab"],
    ["a store that was deleted", "closed", "cleared"],
    ["a damaged store", "corrupt", "unreadable"],
  ] as const)("names %s", (_name, code, cause) => {
    expect(safeModeCause(new StoreError(code, "why"))).toBe(cause);
  });

  it("names nothing in particular for what no store says", () => {
    expect(safeModeCause(new TypeError("why"))).toBe("unreadable");
  });
});
