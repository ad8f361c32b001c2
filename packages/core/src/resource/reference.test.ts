import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressOfReference,
  canonicalReference,
  parseAddress,
  parseReference,
  printAddress,
  printReference,
  sameReference,
} from "./reference.ts";
import { resourceTypes } from "./types.ts";

const address = { system: "http://id.example.ph/national", value: "1-2/3" };

/** Any well-formed text: the property holds for far more than the schemas let in. */
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
const awkward = fc.string({
  unit: fc.constantFrom("a", ".", "/", "%", "#", "?", " ", "\\", ":", "é", "२", "\t"),
  minLength: 1,
});
const identifier = fc.record({
  system: fc.oneof(text, awkward).filter((system) => !system.includes("|")),
  value: fc.oneof(text, awkward, fc.constant("a|b")),
});

describe("parseAddress", () => {
  it.each([
    ["plain", "http://id.example.ph/national|1-2/3"],
    ["with the bar encoded", "http://id.example.ph/national%7C1-2/3"],
    ["with every slash encoded", "http:%2F%2Fid.example.ph%2Fnational|1-2%2F3"],
    ["wholly encoded", encodeURIComponent("http://id.example.ph/national|1-2/3")],
  ])("reads an address %s", (_name, written) => {
    expect(parseAddress(written)).toEqual({ ok: true, value: address });
  });

  it("splits at the first bar", () => {
    expect(parseAddress("urn:x|a|b")).toEqual({ ok: true, value: { system: "urn:x", value: "a|b" } });
  });

  it("decodes once", () => {
    expect(parseAddress("urn:x|50%2525")).toEqual({ ok: true, value: { system: "urn:x", value: "50%25" } });
  });

  it.each(["", "urn:x", "urn:x|", "|1", "|", "urn:x|50%", "urn:x|%zz", "urn:x|%ff"])(
    "refuses %j",
    (written) => {
      expect(parseAddress(written)).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
    },
  );
});

describe("parseReference", () => {
  it("reads a reference written either way", () => {
    const parsed = { ok: true, value: { type: "Group", system: "urn:x#households", value: "7" } };
    expect(parseReference("Group/urn:x#households|7")).toEqual(parsed);
    expect(parseReference("Group/urn:x%23households%7C7")).toEqual(parsed);
  });

  it("takes a percent sign that encodes nothing as itself", () => {
    expect(parseReference("Group/urn:x|100%")).toMatchObject({ ok: true, value: { value: "100%" } });
  });

  it.each(["", "Group", "Group/", "Group/urn:x", "Consent/urn:x|1", "group/urn:x|1", "urn:x|1", "/urn:x|1"])(
    "refuses %j",
    (written) => {
      expect(parseReference(written)).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
    },
  );
});

describe("printReference", () => {
  it.each([
    ["keeps colon, slash and bar", "http://x/y", "a|b", "Group/http://x/y|a|b"],
    ["encodes # % ? and spaces", "urn:x#y", "50% ok?", "Group/urn:x%23y|50%25%20ok%3F"],
    ["encodes control characters and backslashes", "urn:x", "a\n\\b", "Group/urn:x|a%0A%5Cb"],
    ["encodes slashes around dot segments", "http://x/..", "./1", "Group/http://x/..|./1"],
    ["encodes slashes beside a dot segment", "http://x/../y", "1", "Group/http:%2F%2Fx%2F..%2Fy|1"],
    [
      "encodes slashes beside what is named like an operation",
      "urn:x",
      "1/$history",
      "Group/urn:x|1%2F$history",
    ],
  ])("%s", (_name, system, value, printed) => {
    expect(printReference("Group", { system, value })).toBe(printed);
  });

  it("is read back as the identifier it was printed from", () => {
    fc.assert(
      fc.property(fc.constantFrom(...resourceTypes), identifier, (type, id) => {
        expect(parseReference(printReference(type, id))).toEqual({ ok: true, value: { type, ...id } });
        expect(parseAddress(printAddress(id))).toEqual({ ok: true, value: id });
      }),
    );
  });

  it("survives the way through a URL", () => {
    fc.assert(
      fc.property(identifier, (id) => {
        const { pathname, search, hash } = new URL(`http://host/api/v2/Group/${printAddress(id)}`);
        expect([search, hash]).toEqual(["", ""]);
        expect(parseAddress(pathname.slice("/api/v2/Group/".length))).toEqual({ ok: true, value: id });
      }),
    );
  });
});

describe("canonicalReference", () => {
  it("is raw", () => {
    expect(canonicalReference("Group", { system: "urn:x#y", value: "5 %" })).toBe("Group/urn:x#y|5 %");
  });

  it("differs for different identifiers of one type", () => {
    fc.assert(
      fc.property(identifier, identifier, (a, b) => {
        const same = a.system === b.system && a.value === b.value;
        expect(canonicalReference("Group", a) === canonicalReference("Group", b)).toBe(same);
      }),
    );
  });
});

describe("sameReference", () => {
  it.each([
    ["raw and encoded", "Group/urn:x#y|1", "Group/urn:x%23y%7C1", true],
    ["other types", "Group/urn:x|1", "Individual/urn:x|1", false],
    ["other values", "Group/urn:x|1", "Group/urn:x|2", false],
    ["unreadable ones", "Group", "Group", false],
  ])("compares %s", (_name, a, b, same) => {
    expect(sameReference(a, b)).toBe(same);
  });
});

describe("addressOfReference", () => {
  it("is undefined without a bar", () => {
    expect(addressOfReference("Group/urn:x")).toBeUndefined();
  });
});
