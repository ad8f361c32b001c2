import { describe, expect, it } from "vitest";
import { isAppFile } from "./app-file.ts";

const script = "https://registry.test/assets/index-1.js";

describe("isAppFile", () => {
  const html = "text/html";
  const js = "text/javascript; charset=utf-8";

  interface Given {
    readonly type: string;
    readonly status?: number;
    readonly redirected?: boolean;
  }

  it.each<[name: string, url: string, answer: Given, isFile: boolean]>([
    ["a script is one", script, { type: js }, true],
    ["the page is one", "https://registry.test/index.html?__WB_REVISION__=1", { type: html }, true],
    ["a list of areas is one", "https://registry.test/areas.json", { type: "application/json" }, true],
    ["a portal's page in a script's place is none", script, { type: "Text/HTML; charset=utf-8" }, false],
    ["an answer after a redirect is none", script, { type: js, redirected: true }, false],
    ["a refusal is none", script, { type: js, status: 403 }, false],
    ["a text in the page's place is none", "https://registry.test/", { type: "text/plain" }, false],
  ])("says that %s", (_name, url, { type, ...answer }, expected) => {
    const headers = new Headers({ "Content-Type": type });
    expect(isAppFile(url, { status: 200, redirected: false, ...answer, headers })).toBe(expected);
  });
});
