import { describe, expect, it } from "vitest";
import { hasVersion, parseIfMatch } from "./preconditions.ts";

describe("parseIfMatch", () => {
  const cases: [header: string | null, value: unknown][] = [
    [null, undefined],
    ["*", "*"],
    [" * ", "*"],
    ['"3"', ["3"]],
    ['"3", "4"', ["3", "4"]],
    ['"3",,"4",', ["3", "4"]],
    ['W/"3"', ["3"]],
    ['W/"3", "4"', ["3", "4"]],
    ['"3-gzip", "4--br", "5;gzip"', ["3", "4", "5"]],
    ['W/"3.0190a6b0-0000-7000-8000-00000000000a-gzip"', ["3.0190a6b0-0000-7000-8000-00000000000a"]],
    ['"3-zip", "gzip"', ["3-zip", "gzip"]],
    ['"a,b"', ["a,b"]],
    ['""', [""]],
  ];
  it.each(cases)("reads %s", (header, value) => {
    expect(parseIfMatch(header)).toEqual({ ok: true, value });
  });

  it.each(["", "3", '"3', "w/3", '"3" "4"', "*, *", '"3", 4', "W/", ","])("refuses %j", (header) => {
    expect(parseIfMatch(header)).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
  });
});

describe("hasVersion", () => {
  it.each([
    [null, false],
    ['"3"', true],
    ['W/"3"', true],
    ['"2", "3"', true],
    ['"3-gzip"', true],
    ['W/"3-br"', true],
    ['"2"', false],
    ['"2-gzip"', false],
    ["*", true],
  ])("of %s for version 3 is %s", (header, value) => {
    expect(hasVersion(header, "3")).toEqual({ ok: true, value });
  });
});
