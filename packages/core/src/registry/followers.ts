import type { Commit, Document, Expectation, StoredDocument } from "../store/port.ts";
import { recordDocument, type StoredRecord, storedRecord } from "./document.ts";
import type { Settings } from "./settings.ts";

/** What must go into the same commit. */
export type CommitPart = Pick<Commit, "expect" | "put">;

/**
 * A membership is told in the feeds of its beneficiary. When the beneficiary moves, its memberships move along in
 * the same commit; a guard document that enrolling also writes makes sure that none slips in between.
 *
 * @param moved beneficiaries with the feeds they will have
 * @param changing keys of records that the commit writes anyway
 */
export async function moveFollowers(
  settings: Settings,
  moved: readonly { readonly key: string; readonly feeds: readonly string[] }[],
  changing: ReadonlySet<string>,
): Promise<CommitPart> {
  const expect: Expectation[] = [];
  const put: Document[] = [];
  for (const { key, feeds } of moved) {
    const [guard] = await settings.store.get([guardKey(key)]);
    expect.push(unchanged(key, guard));
    for (const follower of await followersOf(settings, key)) {
      if (changing.has(follower.key)) continue;
      expect.push({
        kind: "version",
        collection: follower.type,
        key: follower.key,
        version: follower.version,
      });
      put.push(recordDocument({ ...follower, version: follower.version + 1, feeds }));
    }
  }
  return { expect, put };
}

/** Marks that an enrollment of this beneficiary came into being. */
export async function guardBeneficiary(settings: Settings, key: string): Promise<CommitPart> {
  const [guard] = await settings.store.get([guardKey(key)]);
  return {
    expect: [unchanged(key, guard)],
    put: [{ ...guardKey(key), version: (guard?.version ?? 0) + 1, body: null }],
  };
}

function guardKey(key: string) {
  return { collection: "guard", key };
}

function unchanged(key: string, guard: StoredDocument | undefined): Expectation {
  return guard
    ? { kind: "version", ...guardKey(key), version: guard.version }
    : { kind: "absent", ...guardKey(key) };
}

async function followersOf({ store }: Settings, key: string): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  const where = [{ index: "beneficiary", anyOf: [key] }];
  let after: { value: string | null; key: string } | undefined;
  do {
    const page = await store.query({
      collection: "ProgramMembership",
      where,
      limit: 500,
      ...(after && { after }),
    });
    found.push(...page.documents.map(storedRecord));
    after = page.next;
  } while (after);
  return found;
}
