import type { FieldError } from "../../problem.ts";
import { canonicalReference, quotedReference, type StoredReference } from "../../resource/reference.ts";
import type { Links } from "../record/document.ts";
import { identifiersOf, type ReferenceUse, referencesOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import type { Draft } from "./draft.ts";
import { keysSeen } from "./write-sight.ts";

/**
 * Finds the target of every reference, among the drafts themselves first. A reference that a draft adds must lead
 * somewhere that its author may see; one that the record already had may lead out of this store, as on a device that holds one area.
 */
export async function linkDrafts(
  settings: Settings,
  caller: Caller,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  const own = new Map(
    drafts.flatMap((draft) =>
      identifiersOf(draft.record).map(
        (identifier) => [canonicalReference(draft.type, identifier), draft.key] as const,
      ),
    ),
  );
  const wanted = new Set(drafts.flatMap(rawReferences).filter((raw) => !own.has(raw)));
  const list = [...wanted];
  // A device holds a part of the register only.
  const isPartial = settings.policies.faults === "brought";
  const targets = new Map([...own, ...(await keysSeen(settings, caller, list))]);
  return drafts.map((draft) => {
    const had = new Set(
      draft.before ? rawReferences({ ...draft, record: draft.before.record, faults: [] }) : [],
    );
    const listed = isPartial ? had : new Set<string>();
    const links = linksOf(draft, targets, listed);
    const faults = [
      ...draft.faults,
      ...missing(draft, { targets, had, isPartial }),
      ...others(draft, links),
      ...sameTwice(draft, { links, listed }),
    ];
    return { ...draft, links, faults };
  });
}

/** One person under two identifiers is one member; where both were listed before, the change is not to blame. */
function sameTwice(
  draft: Draft,
  { links, listed }: { readonly links: Links; readonly listed: ReadonlySet<string> },
): FieldError[] {
  if (draft.type !== "Group") return [];
  const first = new Map<string, { readonly at: number; readonly reference: string }>();
  return referencesOf(draft.type, draft.record).flatMap(({ pointer, reference }, at) => {
    const key = links[reference];
    const earlier = key === undefined ? undefined : first.get(key);
    if (key !== undefined && !earlier) first.set(key, { at, reference });
    if (!earlier || earlier.reference === reference) return [];
    if (listed.has(reference) && listed.has(earlier.reference)) return [];
    const message = `is the same person as member ${earlier.at}; name each person once`;
    return [{ field: pointer.replace(/\/reference$/, ""), code: "duplicate_member", message }];
  });
}

function rawReferences(draft: Draft): readonly StoredReference[] {
  return soundReferences(draft).map(({ reference }) => reference);
}

/** The references that validation found nothing wrong with. A malformed one names nothing, and no store is asked about it. */
function soundReferences({ type, record, faults }: Draft): readonly ReferenceUse[] {
  return referencesOf(type, record).filter(({ pointer }) => faults.every(({ field }) => field !== pointer));
}

function missing(
  draft: Draft,
  {
    targets,
    had,
    isPartial,
  }: {
    readonly targets: ReadonlyMap<string, string>;
    readonly had: ReadonlySet<string>;
    readonly isPartial: boolean;
  },
): FieldError[] {
  const next = isPartial ? "create it first, or sync first" : "create it first";
  return soundReferences(draft)
    .filter(({ reference }) => !targets.has(reference) && !had.has(reference))
    .map(({ pointer, reference }) => ({
      field: pointer,
      code: "unknown_reference",
      message: `${quotedReference(reference)} is not known here; ${next}`,
    }));
}

/** Whoever has an identifier by now is another one than the author meant. */
function others({ type, record, given = {} }: Draft, links: Links): FieldError[] {
  return referencesOf(type, record).flatMap(({ pointer, reference }) => {
    const [wanted, found] = [given[reference], links[reference]];
    if (wanted === undefined || found === undefined || wanted === found) return [];
    return [otherRecord(pointer.replace(/reference$/, "key"), reference)];
  });
}

/** Says that somebody else has the identifier of a reference by now. */
export function otherRecord(field: string, reference: StoredReference): FieldError {
  const message = `is of another record than ${quotedReference(reference)} names by now; the change feed tells by this key what the record you mean is called`;
  return { field, code: "other_record", message };
}

/** @param kept references that go on leading where they led, whoever has the name: who has it on a device may only have typed it in */
function linksOf(draft: Draft, targets: ReadonlyMap<string, string>, kept: ReadonlySet<string>): Links {
  const links: Record<string, string> = {};
  for (const raw of rawReferences(draft)) {
    const former = draft.before?.links[raw];
    const key = kept.has(raw) ? former : (targets.get(raw) ?? former);
    if (key !== undefined) links[raw] = key;
  }
  return links;
}
