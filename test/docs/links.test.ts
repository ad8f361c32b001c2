import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function pages(): Promise<string[]> {
  const found = await readdir(join(root, "docs"), { recursive: true });
  return [...found.filter((name) => name.endsWith(".md")).map((name) => join("docs", name)), "README.md"];
}

async function linksOf(page: string): Promise<string[]> {
  const text = await readFile(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  return targets
    .filter((target) => !target.includes(":"))
    .map((target) => relative(root, join(root, dirname(page), target)));
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
