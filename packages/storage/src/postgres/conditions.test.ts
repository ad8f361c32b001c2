import { describe, expect, it } from "vitest";
import { entryMeets } from "./conditions.ts";

const parameters = { text: (value: string) => `'${value}'`, list: () => "", number: () => "" };

describe("a part of a text, looked for in PostgreSQL", () => {
  it.each([
    ["cruz", "w.value LIKE '%cruz%'"],
    ["50%_\\", "w.value LIKE '%50\\%\\_\\\\%'"],
    // Whose small form goes by what follows it: the index of trigrams would hold another one than the part.
    ["ΟΔΟΣ", "(w.value || '') LIKE '%ΟΔΟΣ%'"],
    ["οδος", "w.value LIKE '%οδος%'"],
  ])("%s", (contains, statement) => {
    expect(entryMeets({ index: "name", contains }, parameters as never)).toContain(statement);
  });
});
