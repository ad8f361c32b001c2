import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findChromium } from "../browser/chromium.ts";

const folder = mkdtempSync(join(tmpdir(), "fieldroll-chromium-"));
const program = join(folder, "chromium");
writeFileSync(program, "", { mode: 0o755 });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("findChromium", () => {
  it("takes the browser that FIELDROLL_CHROMIUM names before any other", () => {
    expect(findChromium({ FIELDROLL_CHROMIUM: program, PATH: "/usr/bin" })).toBe(program);
  });

  it("refuses a FIELDROLL_CHROMIUM that can't be run, and says which", () => {
    const missing = join(folder, "missing");
    expect(() => findChromium({ FIELDROLL_CHROMIUM: missing })).toThrow(missing);
  });

  it("finds a usual name on PATH", () => {
    expect(findChromium({ PATH: folder })).toBe(program);
  });

  it("finds none where FIELDROLL_CHROMIUM says so", () => {
    expect(findChromium({ FIELDROLL_CHROMIUM: "none", PATH: folder })).toBeUndefined();
  });
});
