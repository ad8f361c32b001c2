import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lowestBrowser } from "../../.scripts/lowest-browser.ts";

describe("the lowest browser of a built file", () => {
  it.each([
    ["a name that came late", "Promise.withResolvers().resolve(1)", 119, "Promise.withResolvers("],
    ["the latest of several names", "[1].toSorted(); URL.canParse(a)", 120, "URL.canParse("],
    ["a method of an iterator", "a.values().map(b)", 122, ".values().map("],
    ["a name that is asked for first", "typeof URL.canParse=='function'?URL.canParse(e):0", 5, "syntax"],
    ["syntax alone", "class A{static{a()}}", 94, "static{"],
    [
      "a regular expression with the flag v",
      "a=/[\\p{L}--[a-z]]/v",
      112,
      'new RegExp("[\\\\p{L}--[a-z]]","v")',
    ],
    ["a script of 2010", "var a = function () { return 1; };", 5, "syntax"],
  ])("follows from %s", async (_name, code, chrome, because) => {
    expect(await lowestBrowser(code, "js")).toEqual({ chrome, because });
  });

  it("follows from the syntax of a style sheet", async () => {
    expect(await lowestBrowser(".a{.b{color:red}}", "css")).toEqual({ chrome: 120, because: "syntax" });
  });

  it("is any for the script that asks for a newer one", async () => {
    const script = new URL("../../examples/field-app/public/needs.js", import.meta.url);
    expect((await lowestBrowser(readFileSync(script, "utf8"), "js")).chrome).toBe(5);
  });
});
