import type { Commit, Document, Expectation } from "../../store/port.ts";
import { recordDocument, recordKey, type StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Draft } from "./draft.ts";
import type { Footing } from "./enrollment.ts";
import { type CommitPart, putGuard } from "./followers.ts";

/** A draft with the record it becomes. */
export interface Stamped {
  readonly draft: Draft;
  readonly stored: StoredRecord;
  /** Its photo, where that is new. */
  readonly photo?: { readonly text: string; readonly document: Document };
}

/** The records themselves, and what they stand on. @param write.guards of those who come into a household, by their keys */
export async function ownParts(
  settings: Settings,
  write: {
    readonly written: readonly Stamped[];
    readonly footings: ReadonlyMap<string, Footing>;
    readonly guards: ReadonlyMap<string, CommitPart>;
  },
): Promise<readonly CommitPart[]> {
  const { written, footings, guards } = write;
  const changing = new Set(written.map(({ stored }) => stored.key));
  const own = written.map(({ draft, stored, photo }) => ({
    expect: [expectationOf(draft), ...standing(footings.get(draft.key), changing)],
    put: [recordDocument(stored), ...(photo ? [photo.document] : [])],
  }));
  const enrolled = written.flatMap(({ draft }) => {
    const beneficiary = draft.before ? undefined : footings.get(draft.key)?.beneficiary;
    return beneficiary && !changing.has(beneficiary.key) ? [beneficiary.key] : [];
  });
  const others = [...new Set(enrolled)].filter((key) => !guards.has(key));
  const more = await Promise.all(others.map((key) => putGuard(settings, key)));
  return [...own, ...guards.values(), ...more];
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

/** Makes one commit of its parts. */
export function joined(parts: readonly Partial<Pick<Commit, "expect" | "put" | "remove">>[]): Commit {
  return {
    expect: parts.flatMap(({ expect = [] }) => expect),
    put: parts.flatMap(({ put = [] }) => put),
    remove: parts.flatMap(({ remove = [] }) => remove),
  };
}
