import { canonicalReference, type StoredReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Commit, Expectation, Position, StoredDocument } from "../../store/port.ts";
import { withCurrentReferences } from "../record/current-references.ts";
import {
  linkEntries,
  recordDocument,
  recordKey,
  type StoredRecord,
  storedRecord,
} from "../record/document.ts";
import { identifiersOf, mapReferences } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { metaOf } from "./precondition.ts";

/** What must go into the same commit. */
export type CommitPart = Pick<Commit, "expect" | "put">;

/** A record before and after a write. */
export interface Rewritten {
  readonly before: StoredRecord;
  readonly after: StoredRecord;
}

/** What a write of a record means to those that refer to it. */
interface Upheaval {
  readonly type: ResourceType;
  readonly key: string;
  /** The feeds it is told in from now on, when they changed. */
  readonly feeds: readonly string[] | null;
  /** References that lead nowhere any more, and what takes their place. */
  readonly renamed: ReadonlyMap<StoredReference, StoredReference>;
}

/**
 * Records follow what they refer to, in the same commit. A membership is told in the feeds of its beneficiary, and moves
 * along; a guard document that enrolling also writes makes sure that none slips in between. A reference by an identifier
 * that its target loses is rewritten, which makes a new version: who holds the old one must not think it current, for
 * the identifier may be somebody else's tomorrow.
 *
 * @param rewritten what the commit writes
 */
export async function follow(
  settings: Settings,
  caller: Caller,
  rewritten: readonly Rewritten[],
): Promise<{ readonly part: CommitPart; readonly followers: readonly Rewritten[] }> {
  const upheavals = rewritten
    .map(upheavalOf)
    .filter(({ feeds, renamed }) => feeds !== null || renamed.size > 0);
  const changing = new Set(rewritten.map(({ after }) => after.key));
  const referrers = new Map<string, StoredRecord>();
  const expect: Expectation[] = [];
  for (const upheaval of upheavals) {
    if (upheaval.feeds) expect.push(await guardExpectation(settings, upheaval.key));
    for (const referrer of await referrersOf(settings, upheaval)) referrers.set(referrer.key, referrer);
  }
  const followers = await Promise.all(
    [...referrers.values()]
      .filter(({ key }) => !changing.has(key))
      .map(async (before) => ({ before, after: await followed(settings, caller, { before, upheavals }) })),
  );
  const moved = followers.filter(({ before, after }) => before !== after);
  const put = moved.map(({ before, after }) => recordDocument({ ...after, version: before.version + 1 }));
  for (const { before } of moved) {
    expect.push({ kind: "version", ...recordKey(before.type, before.key), version: before.version });
  }
  return {
    part: { expect, put },
    followers: moved.filter(({ before, after }) => before.record !== after.record),
  };
}

function upheavalOf({ before, after }: Rewritten): Upheaval {
  const { type, key } = after;
  const isBeneficiary = type === "Individual" || type === "Group";
  const feeds = isBeneficiary && !sameSet(before.feeds, after.feeds) ? after.feeds : null;
  const kept = identifiersOf(after.record).map((identifier) => canonicalReference(type, identifier));
  const [first] = kept;
  const lost = identifiersOf(before.record)
    .map((identifier) => canonicalReference(type, identifier))
    .filter((raw) => !kept.includes(raw));
  return { type, key, feeds, renamed: new Map(first ? lost.map((raw) => [raw, first]) : []) };
}

/** All references at once: two may have exchanged their identifiers, and what another one had before may be in the record still. */
async function followed(
  { policies, store, now }: Settings,
  caller: Caller,
  { before, upheavals }: { readonly before: StoredRecord; readonly upheavals: readonly Upheaval[] },
): Promise<StoredRecord> {
  const renamed = new Map(upheavals.map((upheaval) => [upheaval.key, upheaval.renamed]));
  const rewrite = ({ links }: StoredRecord, raw: StoredReference) =>
    renamed.get(links[raw] ?? "")?.get(raw) ?? raw;
  const feeds =
    upheavals.find(({ key, feeds }) => feeds && isBeneficiaryOf(before, key))?.feeds ?? before.feeds;
  if (linkEntries(before.links).every(([raw]) => rewrite(before, raw) === raw)) {
    return feeds === before.feeds ? before : { ...before, feeds };
  }
  const [today = before] = await withCurrentReferences([before], store);
  const meta = policies.stamp(metaOf(before.record), caller, now());
  const record = mapReferences(today.type, today.record, (raw) => rewrite(today, raw));
  const links = linkEntries(today.links).map(([raw, target]) => [rewrite(today, raw), target]);
  return { ...today, record: { ...record, meta: { ...meta } }, links: Object.fromEntries(links), feeds };
}

function isBeneficiaryOf({ type, record, links }: StoredRecord, key: string): boolean {
  if (type !== "ProgramMembership") return false;
  const beneficiary = record.beneficiary as { reference?: string } | undefined;
  return links[beneficiary?.reference ?? ""] === key;
}

const referringIndexes: Readonly<
  Partial<Record<ResourceType, readonly (readonly [ResourceType, string])[]>>
> = {
  Individual: [
    ["Group", "member"],
    ["Group", "formerMember"],
    ["ProgramMembership", "beneficiary"],
  ],
  Group: [["ProgramMembership", "beneficiary"]],
  Program: [["ProgramMembership", "program"]],
};

/** Who refers to a record; for one that only moved, those that move along. */
async function referrersOf(
  { store }: Settings,
  { type, key, renamed }: Upheaval,
): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (const [collection, index] of referringIndexes[type] ?? []) {
    if (renamed.size === 0 && index !== "beneficiary") continue;
    const where = [{ index, anyOf: [key] }];
    let after: Position | undefined;
    do {
      const page = await store.query({ collection, where, limit: 500, ...(after && { after }) });
      found.push(...page.documents.map(storedRecord));
      after = page.next;
    } while (after);
  }
  return found;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

async function guardExpectation({ store }: Settings, key: string): Promise<Expectation> {
  const [guard] = await store.get([guardKey(key)]);
  return unchanged(key, guard);
}

/** Marks that an enrollment of this beneficiary came into being, or that this person came into a household. */
export async function putGuard(settings: Settings, key: string): Promise<CommitPart> {
  const [guard] = await settings.store.get([guardKey(key)]);
  return {
    expect: [unchanged(key, guard)],
    put: [{ ...guardKey(key), version: (guard?.version ?? 0) + 1, body: null }],
  };
}

/** Where the guards of beneficiaries and of members of households are kept; the key of each is that of the record. */
export const guardCollection = "guard";

function guardKey(key: string) {
  return { collection: guardCollection, key };
}

function unchanged(key: string, guard: StoredDocument | undefined): Expectation {
  return guard
    ? { kind: "version", ...guardKey(key), version: guard.version }
    : { kind: "absent", ...guardKey(key) };
}
