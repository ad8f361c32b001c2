import type { JsonObject } from "../json.ts";
import { failure, type Outcome, type Problem, success } from "../problem.ts";
import type { Commit, Expectation, Failure } from "../store/port.ts";
import { recordDocument, recordKey, type StoredRecord, storedRecord } from "./document.ts";
import { changesNothing, type Draft, draftWrites, metaOf, versionOf } from "./draft.ts";
import { decideEnrollment, type Footing, loadFootings } from "./enrollment.ts";
import { type CommitPart, guardBeneficiary, moveFollowers } from "./followers.ts";
import { earlierAnswer, rememberAnswer } from "./idempotency.ts";
import { linkDrafts } from "./link.ts";
import { referenceTo, render } from "./render.ts";
import { requireScope, scopeOf } from "./scopes.ts";
import type { Settings } from "./settings.ts";
import { printRaw } from "./stored.ts";
import type { Caller, RecordChange, TransactionOptions, WriteEntry, Written } from "./types.ts";

/** Others may write in between; after so many of them the register is overloaded, and the caller is told so. */
const attempts = 250;

/**
 * The way of every write: load what the decision needs, decide, commit under the condition that nothing the
 * decision stood on has changed; otherwise start again. All entries are written or none.
 */
export async function write(
  settings: Settings,
  caller: Caller,
  { entries, options }: { readonly entries: readonly WriteEntry[]; readonly options: TransactionOptions },
): Promise<Outcome<readonly Written<JsonObject>[]>> {
  for (const { type } of entries) {
    const allowed = requireScope(caller, scopeOf(type, "write"));
    if (!allowed.ok) return allowed;
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const earlier = await earlierAnswer(settings.store, caller, options.idempotency);
    if (earlier) return earlier;
    const plan = await planWrite(settings, caller, { entries, options });
    if (!plan.ok) return plan;
    const { commit, answers } = plan.value;
    if (!commit.put?.length) return success(answers);
    const result = await settings.store.commit(commit);
    if (result.ok) return success(answers);
    const problem = await takenClaim(settings, result.failures);
    if (problem) return failure(problem);
  }
  return failure({
    kind: "unavailable",
    detail: "Too many others write the same records just now. Try again.",
  });
}

interface WritePlan {
  readonly commit: Commit;
  readonly answers: readonly Written<JsonObject>[];
}

async function planWrite(
  settings: Settings,
  caller: Caller,
  { entries, options }: { readonly entries: readonly WriteEntry[]; readonly options: TransactionOptions },
): Promise<Outcome<WritePlan>> {
  const drafted = await draftWrites(settings, entries);
  if (!drafted.ok) return drafted;
  const linked = await linkDrafts(settings, drafted.value);
  if (!linked.ok) return linked;
  const footings = await loadFootings(settings, linked.value);
  const decided = decide(linked.value, footings, {
    today: settings.today(),
    trusted: options.trusted === true,
  });
  if (!decided.ok) return decided;
  const drafts = decided.value;
  const stamped = drafts.map((draft) => stamp(settings, caller, { draft, footing: footings.get(draft.key) }));
  const written = stamped.filter(({ draft }) => !changesNothing(draft));
  const after = stamped.map(({ draft, stored }) =>
    changesNothing(draft) && draft.before ? draft.before : stored,
  );
  const records = await render(after, { store: settings.store, today: settings.today(), fresh: after });
  const answers = after.map((stored, i) => answerOf(stored, records[i] ?? {}, drafts[i]?.before === null));
  const parts = await Promise.all([
    ...(await ownParts(settings, written, footings)),
    settings.policies.journal(written.map(({ draft, stored }) => changeOf(draft, stored, caller))),
    rememberAnswer(caller, { idempotency: options.idempotency, answers, at: settings.now() }),
  ]);
  return success({ commit: joined(parts), answers });
}

function decide(
  drafts: readonly Draft[],
  footings: ReadonlyMap<string, Footing>,
  options: { readonly today: string; readonly trusted: boolean },
): Outcome<readonly Draft[]> {
  const decided: Draft[] = [];
  for (const [entry, draft] of drafts.entries()) {
    const footing = footings.get(draft.key);
    const outcome = footing ? decideEnrollment(draft, footing, options) : success(draft);
    if (!outcome.ok) return drafts.length === 1 ? outcome : failure({ ...outcome.problem, entry });
    decided.push(outcome.value);
  }
  return success(decided);
}

interface Stamped {
  readonly draft: Draft;
  readonly stored: StoredRecord;
}

function stamp(
  { policies, now }: Settings,
  caller: Caller,
  { draft, footing }: { readonly draft: Draft; readonly footing: Footing | undefined },
): Stamped {
  const { before, type, key, links } = draft;
  const meta = policies.stamp(before ? metaOf(before.record) : null, caller, now());
  const record = { ...draft.record, meta: { ...meta } };
  const told = footing?.beneficiary ?? { record, type };
  const stored = {
    type,
    key,
    version: (before?.version ?? 0) + 1,
    record,
    links,
    feeds: policies.feeds(told.record, told.type),
    aliases: before?.aliases ?? [],
  };
  return { draft, stored };
}

/** The records themselves, what they stand on, and what follows them. */
async function ownParts(
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

function answerOf(stored: StoredRecord, record: JsonObject, created: boolean): Written<JsonObject> {
  const { type } = stored;
  const reference = referenceTo(type, stored.record);
  return { record, reference, versionId: versionOf(stored.record), created, replayed: false };
}

function changeOf({ type, key, before }: Draft, stored: StoredRecord, caller: Caller): RecordChange {
  const at = metaOf(stored.record)?.lastUpdated ?? "";
  return { type, key, before: before?.record ?? null, after: stored.record, caller, at };
}

function joined(parts: readonly Partial<Pick<Commit, "expect" | "put" | "remove">>[]): Commit {
  return {
    expect: parts.flatMap(({ expect = [] }) => expect),
    put: parts.flatMap(({ put = [] }) => put),
    remove: parts.flatMap(({ remove = [] }) => remove),
  };
}

/** When only claims stood in the way, trying again would not help: someone else has the identifier or the place. */
async function takenClaim({ store }: Settings, failures: readonly Failure[]): Promise<Problem | undefined> {
  const taken = failures.flatMap((found) => (found.kind === "claim-taken" ? [found] : []));
  const [first] = taken;
  if (!first || taken.length < failures.length) return undefined;
  const [holder] = await store.get([first.holder]);
  if (!holder) return undefined;
  const stored = storedRecord(holder);
  const existing = referenceTo(stored.type, stored.record);
  const pair = first.claim.startsWith("enrollment:");
  const what = pair
    ? "This beneficiary already has an enrollment in the program"
    : `${printRaw(first.claim)} is taken`;
  return { kind: "duplicate", detail: `${what}: see ${existing}.`, existing };
}
