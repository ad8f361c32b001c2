import type { ResourceType, Store } from "@fieldroll/core";
import type { Settled } from "../model/entry.ts";
import { withoutLeft } from "../model/left.ts";
import { loadAccepted } from "./accepted.ts";
import { commitParts, type Known, keptLinks, knownIn } from "./commit.ts";
import { type CommitParts, loadWork, settledParts } from "./work.ts";

/** How often the decisions are made again because something they stood on changed. */
const rounds = 4;

/**
 * Reads records with their work, decides about each, and commits all decisions in one step.
 *
 * @param names each record once
 * @param decide pure; `null` leaves a record as it is; called again when something changed meanwhile
 * @returns whether it was committed. If not, nothing was, and the records are to be settled one by one: they keep changing,
 *   or one of them names what another record has by now.
 */
export async function settleTogether(
  store: Store,
  names: readonly { readonly type: ResourceType; readonly key: string }[],
  at: string,
  decide: (known: Known, place: number) => Settled | null,
): Promise<boolean> {
  for (let round = 0; round < rounds; round++) {
    const works = await loadAccepted(store, await loadWork(store, names));
    const decided = await Promise.all(
      works.map(async (work, place): Promise<readonly CommitParts[]> => {
        const known = await knownIn(store, work);
        const settled = known && decide(known, place);
        if (!settled) return [];
        const next = withoutLeft(known.entry, settled);
        return [settledParts(work, next, { at, links: await keptLinks(store, work, next.local) })];
      }),
    );
    const parts = decided.flat();
    if (claimTwice(parts)) return false;
    const failures = await commitParts(store, parts);
    if (!failures) return true;
    if (failures.some(({ kind }) => kind === "claim-taken")) return false;
  }
  return false;
}

/** Whether two records claim the same, of which no commit may have both. */
function claimTwice(parts: readonly CommitParts[]): boolean {
  const claims = parts.flatMap(({ put }) => put.flatMap((document) => document.claims ?? []));
  return new Set(claims).size < claims.length;
}
