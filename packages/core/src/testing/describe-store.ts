import { describe, it } from "vitest";
import { claimCases } from "./describe-store-claims.ts";
import { closingCases } from "./describe-store-closing.ts";
import { commitCases } from "./describe-store-commits.ts";
import { crowdCases } from "./describe-store-crowds.ts";
import { feedCases } from "./describe-store-feeds.ts";
import { followerCases } from "./describe-store-followers.ts";
import { formCases } from "./describe-store-forms.ts";
import type { OpenStore, StoreCase, StoreHarness, StoreNeed } from "./describe-store-harness.ts";
import { lifeCases } from "./describe-store-life.ts";
import { modelCases } from "./describe-store-model.ts";
import { oddCases } from "./describe-store-odd.ts";
import { orderCases } from "./describe-store-orders.ts";
import { pagingCases } from "./describe-store-paging.ts";
import { queryCases } from "./describe-store-queries.ts";
import { raceCases } from "./describe-store-races.ts";
import { readCases } from "./describe-store-reads.ts";
import { sizeCases } from "./describe-store-sizes.ts";
import { skewCases } from "./describe-store-skew.ts";
import { togetherCases } from "./describe-store-together.ts";
import { unicodeCases } from "./describe-store-unicode.ts";
import { upkeepCases } from "./describe-store-upkeep.ts";

/** Every promise of the store port, as cases that run against one fresh store each. */
export const storeCases: readonly StoreCase[] = [
  ...readCases,
  ...formCases,
  ...commitCases,
  ...togetherCases,
  ...raceCases,
  ...skewCases,
  ...claimCases,
  ...queryCases,
  ...pagingCases,
  ...crowdCases,
  ...unicodeCases,
  ...sizeCases,
  ...oddCases,
  ...feedCases,
  ...followerCases,
  ...lifeCases,
  ...closingCases,
  ...upkeepCases,
  ...modelCases,
  ...orderCases,
];

const milliseconds = { small: 60_000, sized: 600_000 };

/**
 * The store port's promises as a suite of tests, for any adapter:
 *
 * ```ts
 * describeStore("my store", { create: async () => ({ store: await openMine(), … }) });
 * ```
 *
 * @param name Heading of the suite.
 * @param harness How to get stores. A case that needs an ability the harness lacks is skipped, with the reason.
 */
export function describeStore(name: string, harness: StoreHarness): void {
  describe(name, () => {
    for (const about of new Set(storeCases.map((each) => each.about))) {
      describe(about, () => {
        for (const each of storeCases) if (each.about === about) register(each, harness);
      });
    }
  });
}

function register(each: StoreCase, harness: StoreHarness): void {
  const { documents = 100_000 } = harness;
  const name = each.sized ? `${documents.toLocaleString("en")} ${each.name}` : each.name;
  it(name, { timeout: each.sized ? milliseconds.sized : milliseconds.small }, async ({ skip }) => {
    const open = await harness.create();
    try {
      if (each.needs && isLacking(each.needs, open, harness)) {
        skip(`the harness lacks "${each.needs}": ${reasonFor(each.needs, harness)}`);
      }
      if (each.asks && !open.store[each.asks]) skip(`the store has no ${each.asks}()`);
      await each.run(open, { documents }, () => harness.create());
    } finally {
      await open.drop();
    }
  });
}

/** What is not tried must not pass unseen. */
function reasonFor(need: StoreNeed, { lacks }: StoreHarness): string {
  const reason = lacks?.[need];
  if (reason) return reason;
  throw new Error(
    `The harness has no \`${need}\`, so this can't be tried. Give it one, or say why not: lacks: { ${need}: "…" }.`,
  );
}

function isLacking(need: StoreNeed, open: OpenStore, { lacks }: StoreHarness): boolean {
  return need === "another" ? lacks?.another !== undefined : !open[need];
}
