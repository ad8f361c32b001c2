import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import type { Commit } from "../store/port.ts";
import { joined, ownParts, type Stamped } from "./commit-parts.ts";
import type { StoredRecord } from "./document.ts";
import { changesNothing, type Draft, draftWrites } from "./draft.ts";
import { decideEnrollment, type Footing, loadFootings } from "./enrollment.ts";
import { rememberAnswer } from "./idempotency.ts";
import { linkDrafts } from "./link.ts";
import { metaOf, versionOf } from "./precondition.ts";
import { referenceTo, render } from "./render.ts";
import type { Settings } from "./settings.ts";
import type { Caller, RecordChange, TransactionOptions, WriteEntry, Written } from "./types.ts";

/** A write decided: what to commit, and what to answer when the commit succeeds. */
interface WritePlan {
  readonly commit: Commit;
  readonly answers: readonly Written<JsonObject>[];
}

/** Decides a write from what the store holds now: drafts, links, rules, and everything that belongs in the commit. */
export async function planWrite(
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

function answerOf(stored: StoredRecord, record: JsonObject, created: boolean): Written<JsonObject> {
  const { type } = stored;
  const reference = referenceTo(type, stored.record);
  return { record, reference, versionId: versionOf(stored.record), created, replayed: false };
}

function changeOf({ type, key, before }: Draft, stored: StoredRecord, caller: Caller): RecordChange {
  const at = metaOf(stored.record)?.lastUpdated ?? "";
  return { type, key, before: before?.record ?? null, after: stored.record, caller, at };
}
