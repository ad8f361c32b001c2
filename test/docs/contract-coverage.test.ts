import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sentencesOf } from "./contract-sentences.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sentences = sentencesOf(readFileSync(`${root}docs/contract.md`, "utf8"));
const lines = readFileSync(`${root}docs/contract-coverage.md`, "utf8").split("\n");

interface Row {
  readonly id: string;
  readonly shownBy: readonly string[];
}

/** The sentences of the page, each with the lines below it. */
function rowsOf(page: readonly string[]): readonly Row[] {
  const rows: { id: string; shownBy: string[] }[] = [];
  for (const line of page) {
    const id = /^- `(\d-[0-9a-f]{6})`/.exec(line)?.[1];
    if (id !== undefined) rows.push({ id, shownBy: [] });
    else if (line.startsWith("  - ")) rows.at(-1)?.shownBy.push(line.slice(4));
  }
  return rows;
}

/** What is wrong with a case's mention: no such file, or no such name in it. */
function faultOf(mention: string): string | undefined {
  if (/^not observable: .{10,}/.test(mention)) return undefined;
  const [, file = "", name = ""] = /^([\w./-]+): (.+)$/.exec(mention) ?? [];
  const path = `${root}${file.includes("/") ? file : `test/contract/${file}`}.test.ts`;
  if (name === "" || !existsSync(path)) return `${mention}: there is no such test file`;
  const text = readFileSync(path, "utf8");
  return [`"${name}"`, `'${name}'`, `\`${name}\``].some((title) => text.includes(title))
    ? undefined
    : `${mention}: the file has no case of this name`;
}

const rows = rowsOf(lines);

describe("docs/contract-coverage.md", () => {
  it("has every sentence of the contract, once and in order, and none that the contract has no more", () => {
    expect(rows.map(({ id }) => id)).toEqual(sentences.map(({ id }) => id));
  });

  it("says of each what shows it, or why nothing can", () => {
    expect(rows.filter(({ shownBy }) => shownBy.length === 0)).toEqual([]);
  });

  it("names cases that there are", () => {
    expect(rows.flatMap(({ shownBy }) => shownBy).flatMap((mention) => faultOf(mention) ?? [])).toEqual([]);
  });

  it("would miss a changed sentence and a renamed case", () => {
    const [changed] = sentencesOf("## 1. X\n\n- One thing is so.");
    expect(changed?.id).not.toBe(sentencesOf("## 1. X\n\n- One thing is not so.")[0]?.id);
    expect(faultOf("versions: no case is called this")).toMatch(/no case/);
    expect(faultOf("nowhere: x")).toMatch(/no such test file/);
  });
});
