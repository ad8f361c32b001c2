import type { ResourceType, Store } from "@fieldroll/core";
import { lawful } from "../model/machine.ts";
import type { Settled } from "../model/settled.ts";
import { commitParts, type Known, keptLinks, knownAfter, knownIn, noParts } from "./commit.ts";
import { strangerOf } from "./join.ts";
import { leaving } from "./leaving.ts";
import { type CommitParts, loadWhole, settledParts } from "./work.ts";

/** How often the decisions are made again because something they stood on changed. */
const rounds = 4;

/**
 * Reads records with their work, decides about each, and commits all decisions in one step.
 *
 * @param names each record once
 * @param decide pure; `null` leaves a record as it is; called again when something changed meanwhile
 * @returns each record with its work as it is now, or `null` in the place of one without work. `null` instead of the list where nothing
 *   was committed, and the records are to be settled one by one: they keep changing, or one of them names what another record has by now,
 *   or is that other record.
 */
export async function settleTogether(
  store: Store,
  names: readonly { readonly type: ResourceType; readonly key: string }[],
  at: string,
  decide: (known: Known, place: number) => Settled | null,
): Promise<readonly (Known | null)[] | null> {
  for (let round = 0; round < rounds; round++) {
    const works = await loadWhole(store, names);
    const all = await Promise.all(
      works.map(async (work, place): Promise<Decided | null> => {
        const known = await knownIn(store, work);
        const settled = known && decide(known, place);
        if (!settled) return { now: known, parts: noParts };
        if (await strangerOf(store, work, { entry: known.entry, settled })) return null;
        const next = lawful(known.entry, await leaving(store, work, { entry: known.entry, settled }), at);
        const links = await keptLinks(store, work, next);
        return { now: knownAfter(next), parts: settledParts(work, next, { at, links }) };
      }),
    );
    const decided = all.flatMap((each) => each ?? []);
    if (decided.length < all.length) return null;
    const parts = decided.map((each) => each.parts);
    if (claimTwice(parts)) return null;
    const failures = await commitParts(store, parts);
    if (!failures) return decided.map(({ now }) => now);
    if (failures.some(({ kind }) => kind === "claim-taken")) return null;
  }
  return null;
}

/** What was decided of a record: how it is once that is committed. */
interface Decided {
  readonly now: Known | null;
  readonly parts: CommitParts;
}

/** Whether two records claim the same, of which no commit may have both. */
function claimTwice(parts: readonly CommitParts[]): boolean {
  const claims = parts.flatMap(({ put }) => put.flatMap((document) => document.claims ?? []));
  return new Set(claims).size < claims.length;
}
