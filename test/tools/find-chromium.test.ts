import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findChromium, installsChromium } from "../browser/chromium.ts";

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

describe("a run of the tests installs a browser", () => {
  const bare = { canInstall: true, hasBrowser: false };
  const refused = { ...bare, canInstall: false };
  it.each([
    { does: true, when: "as root with apt-get, where there is none", args: [], env: {}, machine: bare },
    { does: true, when: "with CI=true", args: [], env: { CI: "true" }, machine: refused },
    { does: false, when: "as somebody who may not", args: [], env: {}, machine: refused },
    { does: false, when: "where there is one", args: [], env: {}, machine: { ...bare, hasBrowser: true } },
    { does: false, when: "for tests that use none", args: ["--project=node"], env: {}, machine: bare },
    { does: false, when: "when told none", args: [], env: { FIELDROLL_CHROMIUM: "none" }, machine: bare },
    {
      does: false,
      when: "when told none, with CI=true",
      args: [],
      env: { FIELDROLL_CHROMIUM: "none", CI: "true" },
      machine: bare,
    },
  ])("$does $when", ({ does, args, env, machine }) => {
    expect(installsChromium(args, env, machine)).toBe(does);
  });
});
