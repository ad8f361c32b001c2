import { type Commit, createMemoryStore, type Store } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { checkAll, checkSince } from "../../.scripts/torture/check.ts";
import { newFollower } from "../../.scripts/torture/follower.ts";
import {
  advance,
  areas,
  feedOf,
  newLife,
  nextCommit,
  sharedAt,
  sharesAt,
} from "../../.scripts/torture/program.ts";

const commits = 60;

/** Makes a writer's commits in a store that may lose some of each. */
async function written(keeps: (commit: Commit, n: number) => Commit | undefined): Promise<Store> {
  const store = createMemoryStore();
  const life = newLife("w", 3);
  let shared = 0;
  for (let n = 1; n <= commits; n++) {
    const { put, remove } = nextCommit(life);
    const kept = keeps({ put: sharesAt(n) ? [...put, sharedAt(++shared)] : put, remove }, n);
    if (kept) await store.commit(kept);
    advance(life);
  }
  return store;
}

async function check(store: Store, acknowledged: number): Promise<number> {
  const expected = {
    lives: [newLife("w", 3)],
    acknowledged: new Map([["w", acknowledged]]),
    followers: ["all", "audit", ...areas.map(feedOf)].map(newFollower),
  };
  const beyond = await checkSince(store, expected);
  await checkAll(store, expected);
  return beyond;
}

const without =
  (collection: string, at = 40) =>
  (commit: Commit, n: number) =>
    n === at
      ? { ...commit, put: commit.put?.filter((each) => each.collection !== collection) ?? [] }
      : commit;

const losses: readonly {
  readonly name: string;
  readonly keeps: (commit: Commit, n: number) => Commit | undefined;
}[] = [
  { name: "the last commit", keeps: (commit, n) => (n === commits ? undefined : commit) },
  { name: "the persons of one commit", keeps: without("people") },
  { name: "the audit entry of one commit", keeps: without("audit") },
  { name: "the last raising of the shared document", keeps: without("counts", commits) },
  { name: "removals", keeps: (commit) => ({ ...commit, remove: [] }) },
  {
    name: "the claims of one commit",
    keeps: (commit, n) =>
      n === 40 ? { ...commit, put: commit.put?.map((each) => ({ ...each, claims: [] })) ?? [] } : commit,
  },
];

describe("the check after a kill", () => {
  it("passes what a writer has written, and counts what it had no time to acknowledge", async () => {
    expect(await check(await written((commit) => commit), commits)).toBe(0);
    expect(await check(await written((commit) => commit), commits - 1)).toBe(1);
  });

  it("refuses more than one commit beyond what was acknowledged", async () => {
    await expect(check(await written((commit) => commit), commits - 2)).rejects.toThrow("After a kill");
  });

  it.each(losses)("refuses a store that has lost $name", async ({ keeps }) => {
    await expect(check(await written(keeps), commits)).rejects.toThrow("After a kill");
  });

  it("refuses a feed that leaves a change out, or tells one twice", async () => {
    const store = await written((commit) => commit);
    const broken = (first: number): Store => ({
      ...store,
      async changes(request) {
        const page = await store.changes(request);
        return {
          ...page,
          changes: first > 0 ? page.changes.slice(first) : [...page.changes, ...page.changes],
        };
      },
    });
    await expect(check(broken(1), commits)).rejects.toThrow("After a kill");
    await expect(check(broken(0), commits)).rejects.toThrow("after");
  });
});
