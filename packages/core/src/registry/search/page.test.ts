import { describe, expect, it } from "vitest";
import { wholeVisibility } from "../../consent/visibility.ts";
import type { Candidate } from "./candidate.ts";
import { createPage } from "./page.ts";

const sort = { index: "name" };

function candidate(name: string): Candidate {
  const stored = {
    type: "Individual",
    key: `key of ${name}`,
    version: 1,
    record: {},
    links: {},
    feeds: [],
  } as const;
  return { stored, visibility: wholeVisibility, record: {}, links: {}, entries: { name: [name] } };
}

const at = (value: string, name: string) => ({
  position: { value, key: `key of ${name}` },
  candidate: candidate(name),
});

function finished(page: ReturnType<typeof createPage>) {
  const { found, next } = page.finish();
  return { found: found.map(({ entries }) => entries.name?.[0]), next: next?.value };
}

describe("a page", () => {
  it("keeps the first of what it is given, in order, and says where to go on", () => {
    const page = createPage({ sort, limit: 2, total: true });
    for (const name of ["d", "b", "c", "a"]) page.add(candidate(name));
    expect(finished(page)).toEqual({ found: ["a", "b"], next: "b" });
    expect(page.finish().total).toBe(4);
  });

  it("begins after the cursor, whatever counts as found", () => {
    const after = { value: "b", key: "key of b" };
    const page = createPage({ sort, limit: 2, total: true, after });
    for (const name of ["d", "b", "c", "a"]) page.add(candidate(name));
    expect(finished(page)).toEqual({ found: ["c", "d"], next: undefined });
    expect(page.finish().total).toBe(4);
  });

  it("shows a record that was added and then moved once, where it was moved", () => {
    const page = createPage({ sort, limit: 3, total: false });
    for (const name of ["a", "b"]) page.add(candidate(name));
    page.move(at("c", "a"));
    expect(finished(page)).toEqual({ found: ["b", "a"], next: undefined });
  });

  it("leaves what moved beyond the records that were read to a later page", () => {
    const page = createPage({ sort, limit: 2, total: false });
    for (const name of ["a", "b", "c"]) page.add(candidate(name));
    expect(page.isFull()).toBe(true);
    page.end();
    page.move(at("x", "a"));
    page.move(at("y", "b"));
    expect(finished(page)).toEqual({ found: ["c"], next: "c" });
  });

  it("goes on beyond the records that were read when all of them moved away", () => {
    const page = createPage({ sort, limit: 1, total: false });
    for (const name of ["a", "b"]) page.add(candidate(name));
    page.end();
    page.move(at("x", "a"));
    page.move(at("y", "b"));
    expect(finished(page)).toEqual({ found: [], next: "b" });
  });
});
