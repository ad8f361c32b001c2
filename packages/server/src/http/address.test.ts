import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress, rawPath, routingPath } from "./address.ts";

describe("parseAddress", () => {
  const cases: [name: string, raw: string, system: string, value: string][] = [
    ["plain", "urn:x|1", "urn:x", "1"],
    ["an encoded bar", "urn:x%7C1", "urn:x", "1"],
    ["a bar encoded in lower case", "urn:x%7c1", "urn:x", "1"],
    ["a URL with raw slashes", "http://id.gov/a|7", "http://id.gov/a", "7"],
    ["a URL with encoded slashes", "http:%2F%2Fid.gov%2Fa|7", "http://id.gov/a", "7"],
    ["an encoded hash", "urn:x%23id|7", "urn:x#id", "7"],
    ["a second bar in the value", "urn:x|a|b", "urn:x", "a|b"],
    ["an encoded percent sign", "urn:x|50%25", "urn:x", "50%"],
    ["other scripts", "urn:x|%D8%B9", "urn:x", "ع"],
    ["a plus sign as itself", "urn:x|a+b", "urn:x", "a+b"],
  ];
  it.each(cases)("reads %s", (_name, raw, system, value) => {
    expect(parseAddress(raw)).toEqual({ ok: true, value: { system, value } });
  });

  it.each([
    ["no bar", "urn:x"],
    ["nothing", ""],
    ["no system", "|1"],
    ["no value", "urn:x|"],
    ["a broken escape", "urn:x|%zz"],
    ["an escape that is no UTF-8", "urn:x|%ff"],
  ])("refuses %s as a bad request", (_name, raw) => {
    expect(parseAddress(raw)).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
  });

  it("reads back whatever was percent-encoded", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(
        text.filter((system) => !system.includes("|")),
        text,
        (system, value) => {
          const raw = `${encodeURIComponent(system)}|${encodeURIComponent(value)}`;
          expect(parseAddress(raw)).toEqual({ ok: true, value: { system, value } });
        },
      ),
    );
  });
});

describe("rawPath", () => {
  it.each([
    ["http://h/api/v2/Individual/a|b?x=1", "/api/v2/Individual/a|b"],
    ["http://h:8080/a//b%2Fc#d", "/a//b%2Fc"],
    ["http://h", "/"],
    ["http://h/?/x", "/"],
  ])("of %s is %s", (url, path) => {
    expect(rawPath(url)).toBe(path);
  });
});

it("takes %24 at the start of a segment for a dollar sign", () => {
  expect(routingPath("http://h/api/v2/%24changes?feed=all")).toBe("/api/v2/$changes");
});
