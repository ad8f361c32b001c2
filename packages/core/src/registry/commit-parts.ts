import type { Commit, Expectation } from "../store/port.ts";
import { recordDocument, recordKey, type StoredRecord } from "./document.ts";
import type { Draft } from "./draft.ts";
import type { Footing } from "./enrollment.ts";
import { type CommitPart, guardBeneficiary, moveFollowers } from "./followers.ts";
import type { Settings } from "./settings.ts";

/** A draft with the record it becomes. */
export interface Stamped {
  readonly draft: Draft;
  readonly stored: StoredRecord;
}

/** The records themselves, what they stand on, and what follows them. */
export async function ownParts(
  settings: Settings,
  written: readonly Stamped[],
  footings: ReadonlyMap<string, Footing>,
): Promise<readonly CommitPart[]> {
  const changing = new Set(written.map(({ stored }) => stored.key));
  const own = written.map(({ draft, stored }) => ({
    expect: [expectationOf(draft), ...standing(footings.get(draft.key), changing)],
    put: [recordDocument(stored)],
  }));
  const moved = written.flatMap(({ draft, stored }) =>
    draft.before && !sameSet(draft.before.feeds, stored.feeds) && stored.type !== "ProgramMembership"
      ? [stored]
      : [],
  );
  const enrolled = new Set(
    written.flatMap(({ draft }) => {
      const beneficiary = draft.before ? undefined : footings.get(draft.key)?.beneficiary;
      return beneficiary && !changing.has(beneficiary.key) ? [beneficiary.key] : [];
    }),
  );
  const guards = await Promise.all([...enrolled].map((key) => guardBeneficiary(settings, key)));
  return [...own, ...guards, await moveFollowers(settings, moved, changing)];
}

function expectationOf({ type, key, before }: Draft): Expectation {
  const at = recordKey(type, key);
  return before ? { kind: "version", ...at, version: before.version } : { kind: "absent", ...at };
}

/** An enrollment was decided on its program and beneficiary as they were read. */
function standing(footing: Footing | undefined, changing: ReadonlySet<string>): Expectation[] {
  return [footing?.program, footing?.beneficiary].flatMap((stored): Expectation[] =>
    stored && !changing.has(stored.key) && stored.version > 0
      ? [{ kind: "version", ...recordKey(stored.type, stored.key), version: stored.version }]
      : [],
  );
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

/** Makes one commit of its parts. */
export function joined(parts: readonly Partial<Pick<Commit, "expect" | "put" | "remove">>[]): Commit {
  return {
    expect: parts.flatMap(({ expect = [] }) => expect),
    put: parts.flatMap(({ put = [] }) => put),
    remove: parts.flatMap(({ remove = [] }) => remove),
  };
}
