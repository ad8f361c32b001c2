import type { JsonObject } from "../../json.ts";
import { type Outcome, success } from "../../problem.ts";
import type { Commit } from "../../store/port.ts";
import { recordClaims, recordKey, type StoredRecord } from "../record/document.ts";
import { referenceTo, render } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import type { Caller, RecordChange } from "../types.ts";
import { joined } from "./commit-parts.ts";
import { decideWrite, type PlannedWrite } from "./decide-write.ts";
import { changesNothing } from "./draft.ts";
import { follow } from "./followers.ts";
import { rememberAnswer } from "./idempotency.ts";
import { metaOf, versionOf } from "./precondition.ts";
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
  { entries, options }: PlannedWrite,
): Promise<Outcome<WritePlan>> {
  const decided = await decideWrite(settings, caller, { entries, options });
  if (!decided.ok) return decided;
  const { stamped, parts } = decided.value;
  const written = stamped.filter(({ draft }) => !changesNothing(draft));
  const after = stamped.map(({ draft, stored }) =>
    changesNothing(draft) && draft.before ? draft.before : stored,
  );
  const records = await render(after, { store: settings.store, today: settings.today(), fresh: after });
  const answers = after.map((stored, i): WholeAnswer => {
    const { draft, photo } = stamped[i] ?? {};
    const answer = answerOf(stored, records[i] ?? {}, !draft?.before);
    return stored === draft?.before ? { ...answer, unchanged: true } : { ...answer, photo: photo?.text };
  });
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
  const drafts = stamped.map(({ draft }) => draft);
  const commit = joined([
    ...parts,
    part,
    await settings.policies.journal(changes),
    settings.governance?.auditPart(settings, { changes, drafts, options }) ?? {},
    rememberAnswer(caller, {
      idempotency: options.idempotency,
      answers: answers.map((answer) => answer.written),
      at: settings.now(),
      of: after.map(({ type, key }) => recordKey(type, key)),
    }),
  ]);
  const told = await settings.governance?.tellMembers(settings, { rewritten, commit });
  return success({
    commit: told ? joined([commit, told]) : commit,
    answers,
    claimants: new Map(
      stamped.flatMap(({ stored }, entry) => recordClaims(stored).map((claim) => [claim, entry] as const)),
    ),
  });
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
