import { describe, expect, it } from "vitest";
import {
  hasMethods,
  isFunction,
  isText,
  optional,
  refuseUnknownOptions,
  refuseWrongOptions,
  wrongOptions,
} from "./wrong-options.ts";

const rules = {
  name: [isText, "text"],
  run: optional([isFunction, "a function"]),
} as const;

describe("wrongOptions", () => {
  it.each<[string, unknown, string | undefined]>([
    ["what must be given", { name: "a" }, undefined],
    ["everything", { name: "a", run: () => 1 }, undefined],
    ["an option without a rule", { name: "a", more: 1 }, undefined],
    ["nothing", undefined, "make: name must be text."],
    ["null", null, "make: name must be text."],
    ["no object", 5, "make: name must be text."],
    ["an option of another kind", { name: 5 }, "make: name must be text."],
    [
      "several of another kind",
      { name: null, run: null },
      "make: name must be text; run must be a function.",
    ],
  ])("judges %s", (_, given, sentence) => {
    expect(wrongOptions("make", given, rules)).toBe(sentence);
  });

  it("is thrown as a TypeError", () => {
    expect(() => refuseWrongOptions("make", {}, rules)).toThrow(new TypeError("make: name must be text."));
    expect(() => refuseWrongOptions("make", { name: "a" }, rules)).not.toThrow();
  });
});

describe("refuseUnknownOptions", () => {
  const names = ["server", "feeds"];
  it.each<[string, unknown, string]>([
    ["one that there is not", { server: 1, nope: 1 }, "make: there is no option nope."],
    [
      "one with nearly the name of another",
      { feed: 1 },
      'make: there is no option feed: did you mean "feeds"?',
    ],
    ["one that is left open", { nope: undefined }, "make: there is no option nope."],
  ])("refuses %s", (_, given, sentence) => {
    expect(() => refuseUnknownOptions("make", given, names)).toThrow(new TypeError(sentence));
  });

  it.each([[undefined], [null], [{}], [{ server: 1, feeds: 1 }]])("has nothing against %j", (given) => {
    expect(() => refuseUnknownOptions("make", given, names)).not.toThrow();
  });
});

describe("hasMethods", () => {
  class Made {
    get() {
      return 1;
    }
  }
  it.each<[string, unknown, boolean]>([
    ["an object", { get: () => 1 }, true],
    ["what a class makes", new Made(), true],
    ["an object with another member of the name", { get: 1 }, false],
    ["null", null, false],
    ["a text", "get", false],
  ])("looks for them in %s", (_, given, found) => {
    expect(hasMethods(given, "get")).toBe(found);
  });
});
