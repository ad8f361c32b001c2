import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import { createMemoryMedium } from "../store/memory-medium.ts";
import { storeCases } from "./describe-store.ts";
import type { OpenStore, StoreCase } from "./describe-store-harness.ts";
import { type Mutation, mutations } from "./describe-store-mutations.ts";
import { handleMutations } from "./describe-store-mutations-handles.ts";
import { largeMutations } from "./describe-store-mutations-large.ts";
import { oddMutations } from "./describe-store-mutations-odd.ts";
import { raceMutations } from "./describe-store-mutations-races.ts";
import { togetherMutations } from "./describe-store-mutations-together.ts";
import { upkeepMutations } from "./describe-store-mutations-upkeep.ts";

const broken = [
  ...[...mutations, ...togetherMutations, ...raceMutations, ...handleMutations],
  ...[...largeMutations, ...oddMutations, ...upkeepMutations],
];

describe("the store suite", () => {
  for (const { about, promise, breaks } of broken) {
    it(`goes red about ${about} for a store that breaks: ${promise}`, { timeout: 240_000 }, async () => {
      expect(await failures(about, breaks, 1), "cases that fail").not.toEqual([]);
    });
  }

  it("goes red in the model's random programs for every mutation that reaches answers", async () => {
    const reaching = mutations.filter(({ about }) => ["order", "claims", "expectations"].includes(about));
    // A fixed seed, and no shrinking of what is expected to fail.
    fc.configureGlobal({ seed: 7, endOnFailure: true });
    const missed = [];
    for (const { promise, breaks } of reaching) {
      if ((await failures("model", breaks, 1)).length === 0) missed.push(promise);
    }
    fc.resetConfigureGlobal();
    expect(missed).toEqual([]);
  });

  it("goes red in the orders of simultaneous commits for every store that decides before it writes", async () => {
    const early = [
      ...raceMutations.filter(({ about }) => about === "skew"),
      ...togetherMutations.filter(({ promise }) => promise.startsWith("judges each by what those before")),
    ];
    fc.configureGlobal({ seed: 11, endOnFailure: true });
    const missed = [];
    for (const { promise, breaks } of early) {
      if ((await failures("orders", breaks, 1)).length === 0) missed.push(promise);
    }
    fc.resetConfigureGlobal();
    expect(missed).toEqual([]);
  });

  it("stays green for a decorated store that breaks nothing", async () => {
    for (const about of new Set(storeCases.map((each) => each.about))) {
      expect(await failures(about, (store) => ({ ...store }))).toEqual([]);
    }
  });
});

async function failures(
  about: string,
  breaks: Mutation["breaks"],
  enough = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const names: string[] = [];
  for (const each of storeCases) {
    if (each.about !== about || each.needs === "crash") continue;
    if (names.length >= enough) break;
    if (!(await passes(each, breaks))) names.push(each.name);
  }
  return names;
}

async function passes(each: StoreCase, breaks: Mutation["breaks"]): Promise<boolean> {
  const open = brokenStore(breaks);
  try {
    await each.run(open, { documents: 2000 }, async () => brokenStore(breaks));
    return true;
  } catch {
    return false;
  }
}

function brokenStore(breaks: Mutation["breaks"]): OpenStore {
  const medium = createMemoryMedium();
  const handle = () => breaks(createMemoryStore({ medium }), medium);
  const store = handle();
  return {
    store,
    async reopen() {
      await store.close();
      return handle();
    },
    second: async () => handle(),
    drop: () => store.close(),
  };
}
