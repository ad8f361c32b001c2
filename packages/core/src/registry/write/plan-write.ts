import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import type { Commit } from "../../store/port.ts";
import { recordFeeds } from "../feed/feeds.ts";
import { recordClaims, recordKey, type StoredRecord } from "../record/document.ts";
import { referenceTo, render } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import type { Caller, RecordChange, TransactionOptions, WriteEntry } from "../types.ts";
import { joined, ownParts, type Stamped } from "./commit-parts.ts";
import { decideDraft } from "./decide-draft.ts";
import { changesNothing, type Draft, draftWrites } from "./draft.ts";
import { judgeEligibility } from "./eligibility.ts";
import { type Footing, loadFootings } from "./enrollment.ts";
import { follow } from "./followers.ts";
import { rememberAnswer } from "./idempotency.ts";
import { linkDrafts } from "./link.ts";
import { metaOf, versionOf } from "./precondition.ts";
import { faultyDraft, sharedClaim } from "./refusal.ts";
import type { WholeAnswer } from "./write-sight.ts";

/** A write decided: what to commit, and what to answer when the commit succeeds. */
export interface WritePlan {
  readonly commit: Commit;
  readonly answers: readonly WholeAnswer[];
  /** Which entry's record has each claim, by its place. */
  readonly claimants: ReadonlyMap<string, number>;
}

/** Decides a write from what the store holds now: drafts, links, rules, and everything that belongs in the commit. */
export async function planWrite(
  settings: Settings,
  caller: Caller,
  { entries, options }: { readonly entries: readonly WriteEntry[]; readonly options: TransactionOptions },
): Promise<Outcome<WritePlan>> {
  const drafted = await draftWrites(settings, caller, entries);
  if (!drafted.ok) return drafted;
  const linked = await linkDrafts(settings, caller, drafted.value);
  const footings = await loadFootings(settings, linked);
  const refused = await settings.governance?.refusal(settings, caller, { drafts: linked, footings });
  if (refused) return failure(refused);
  const rules = {
    today: settings.today(),
    trusted: options.trusted === true,
    reopens: options.reopens === true,
    onlyBrought: settings.policies.faults === "brought",
  };
  const decided = linked.map((draft) => decideDraft(draft, footings.get(draft.key), rules));
  const judged = rules.trusted ? success(decided) : await judgeEligibility(settings, decided, footings);
  if (!judged.ok) return judged;
  const funded = await settings.governance?.withFunds(settings, caller, judged.value);
  const drafts = funded?.drafts ?? judged.value;
  const stamped = drafts.map((draft) => stamp(settings, caller, { draft, footing: footings.get(draft.key) }));
  const problem = faultyDraft(drafts) ?? sharedClaim(settings, caller, stamped);
  if (problem) return failure(problem);
  const written = stamped.filter(({ draft }) => !changesNothing(draft));
  const after = stamped.map(({ draft, stored }) =>
    changesNothing(draft) && draft.before ? draft.before : stored,
  );
  const records = await render(after, { store: settings.store, today: settings.today(), fresh: after });
  const answers = after.map((stored, i): WholeAnswer => {
    const answer = answerOf(stored, records[i] ?? {}, drafts[i]?.before === null);
    return stored === drafts[i]?.before ? { ...answer, unchanged: true } : answer;
  });
  const { reason, idempotency } = options;
  const rewritten = written.flatMap(({ draft: { before }, stored }) =>
    before ? [{ before, after: stored }] : [],
  );
  const { part, followers } = settings.policies.follow
    ? await follow(settings, caller, rewritten)
    : { part: {}, followers: [] };
  const changes = [
    ...written.map(({ draft, stored }) => changeOf(draft.before, stored, caller)),
    ...followers.map(({ before, after: stored }) => changeOf(before, stored, caller)),
  ];
  const parts = await Promise.all([
    ...(await ownParts(settings, written, footings)),
    ...(funded?.parts ?? []),
    part,
    settings.policies.journal(changes),
    settings.governance?.auditPart(settings, { changes, drafts, ...(reason !== undefined && { reason }) }) ??
      {},
    rememberAnswer(caller, {
      idempotency,
      answers: answers.map((answer) => answer.written),
      at: settings.now(),
      of: after.map(({ type, key }) => recordKey(type, key)),
    }),
  ]);
  const commit = joined(parts);
  const told = await settings.governance?.tellMembers(settings, { rewritten, commit });
  return success({
    commit: told ? joined([commit, told]) : commit,
    answers,
    claimants: new Map(
      stamped.flatMap(({ stored }, entry) => recordClaims(stored).map((claim) => [claim, entry] as const)),
    ),
  });
}

function stamp(
  { policies, now }: Settings,
  caller: Caller,
  { draft, footing }: { readonly draft: Draft; readonly footing: Footing | undefined },
): Stamped {
  const { before, type, key, links } = draft;
  const meta = policies.stamp(before ? metaOf(before.record) : null, caller, now());
  const record = { ...draft.record, meta: { ...meta } };
  const stored = {
    type,
    key,
    version: (before?.version ?? 0) + 1,
    record,
    links,
    feeds: recordFeeds(policies, { type, record }, footing?.beneficiary),
    aliases: before?.aliases ?? [],
  };
  return { draft, stored };
}

function answerOf(stored: StoredRecord, record: JsonObject, created: boolean): WholeAnswer {
  const { type } = stored;
  const reference = referenceTo(type, stored.record);
  const written = { record, reference, versionId: versionOf(stored.record), created, replayed: false };
  return { written, at: recordKey(type, stored.key), stored };
}

function changeOf(before: StoredRecord | null, stored: StoredRecord, caller: Caller): RecordChange {
  const at = metaOf(stored.record)?.lastUpdated ?? "";
  const { type, key } = stored;
  return { type, key, before: before?.record ?? null, after: stored.record, caller, at };
}
