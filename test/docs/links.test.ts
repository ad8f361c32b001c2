import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function pages(): Promise<string[]> {
  const found = await readdir(join(root, "docs"), { recursive: true });
  const ofParts = ["packages", "examples"].flatMap((place) =>
    readdirSync(join(root, place)).map((name) => join(place, name, "README.md")),
  );
  return [
    ...found.filter((name) => name.endsWith(".md")).map((name) => join("docs", name)),
    "README.md",
    ...ofParts,
  ];
}

async function linksOf(page: string): Promise<string[]> {
  const text = await readFile(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  return targets
    .filter((target) => !target.includes(":"))
    .map((target) => relative(root, join(root, dirname(page), target)));
}

/** The files that a file imports, those of another package's entry included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/from "([^"]+)"/g)].flatMap(([, from = ""]) => {
    if (from.startsWith(".")) return [relative(root, join(root, dirname(file), from))];
    const entry = /^@fieldroll\/(\w+)$/.exec(from)?.[1];
    return entry && !file.endsWith("index.ts") ? importsOf(`packages/${entry}/src/index.ts`) : [];
  });
}

describe("the documents", () => {
  it("link only to what is there", async () => {
    const dead: string[] = [];
    for (const page of await pages()) {
      for (const target of await linksOf(page)) {
        const there = await stat(join(root, target)).catch(() => null);
        if (!there) dead.push(`${page} → ${target}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it("lead from stop to stop by an import, or name the port between them", async () => {
    const text = await readFile(join(root, "docs/reading-order.md"), "utf8");
    const lost: string[] = [];
    for (const path of text.split(/^## /m).slice(1)) {
      const stops = [...path.matchAll(/^\d+\. .*?\]\(\.\.\/([^)]+)\): (.*)$/gm)];
      const earlier: string[] = [];
      for (const [, stop = "", says = ""] of stops) {
        const reached = earlier.some((source) => importsOf(source).includes(stop));
        if (earlier.length > 0 && !reached && !says.startsWith("through ")) lost.push(stop);
        earlier.push(stop);
      }
    }
    expect(lost).toEqual([]);
  });

  it("lead through files of at most 150 lines", async () => {
    const stops = (await linksOf("docs/reading-order.md")).filter((target) => target.endsWith(".ts"));
    const long: string[] = [];
    for (const stop of stops) {
      const lines = (await readFile(join(root, stop), "utf8")).split("\n").length - 1;
      if (lines > 150) long.push(`${stop}: ${lines} lines`);
    }
    expect(stops.length).toBeGreaterThan(15);
    expect(long).toEqual([]);
  });
});
