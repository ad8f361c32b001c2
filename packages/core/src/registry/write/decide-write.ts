import { failure, type Outcome, success } from "../../problem.ts";
import { recordFeeds } from "../feed/feeds.ts";
import { photoDocument, photoKey, photoReference } from "../record/stored-photo.ts";
import type { Settings } from "../settings.ts";
import type { Caller, TransactionOptions, WriteEntry } from "../types.ts";
import { ownParts, type Stamped } from "./commit-parts.ts";
import { decideDraft } from "./decide-draft.ts";
import { changesNothing, type Draft, draftWrites } from "./draft.ts";
import { judgeEligibility } from "./eligibility.ts";
import { type Footing, loadFootings } from "./enrollment.ts";
import type { CommitPart } from "./followers.ts";
import { linkDrafts } from "./link.ts";
import type { WrittenRecord } from "./one-household.ts";
import { metaOf } from "./precondition.ts";
import { faultyDraft, sharedClaim } from "./refusal.ts";

/** What is to be written. */
export interface PlannedWrite {
  readonly entries: readonly WriteEntry[];
  readonly options: TransactionOptions;
}

/** The records as they are to be, by all rules, with what the commit holds for them. */
export async function decideWrite(
  settings: Settings,
  caller: Caller,
  { entries, options }: PlannedWrite,
): Promise<Outcome<{ readonly stamped: readonly Stamped[]; readonly parts: readonly CommitPart[] }>> {
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
  const households = await settings.governance?.households(settings, caller, recordsOf(stamped));
  if (households?.problem) return failure(households.problem);
  const written = stamped.filter(({ draft }) => !changesNothing(draft));
  const own = await ownParts(settings, { written, footings, guards: households?.guards ?? new Map() });
  return success({ stamped, parts: [...own, ...(funded?.parts ?? [])] });
}

function recordsOf(stamped: readonly Stamped[]): readonly WrittenRecord[] {
  const isOne = stamped.length === 1;
  return stamped.map(({ draft: { before }, stored: after }, place) => {
    return { entry: isOne ? undefined : place, before, after };
  });
}

function stamp(
  settings: Settings,
  caller: Caller,
  { draft, footing }: { readonly draft: Draft; readonly footing: Footing | undefined },
): Stamped {
  const { policies, now } = settings;
  const { before, type, key, links } = draft;
  const meta = policies.stamp(before ? metaOf(before.record) : null, caller, now());
  const { content, photo } = withPhotoApart(settings, draft);
  const record = { ...content, meta: { ...meta } };
  const stored = {
    type,
    key,
    version: (before?.version ?? 0) + 1,
    record,
    links,
    feeds: recordFeeds(policies, { type, record }, footing?.beneficiary),
    aliases: before?.aliases ?? [],
  };
  return { draft, stored, ...(photo && { photo }) };
}

/** A photo that is sent becomes a document of its own. Without a trail nobody would keep the replaced one: then it stays in its record. */
function withPhotoApart({ policies, newId }: Settings, { record, key }: Draft) {
  const { photo } = record;
  if (!policies.audit || typeof photo !== "string" || photoKey(photo)) return { content: record };
  const id = newId();
  const content = { ...record, photo: photoReference(photo, id) };
  return { content, photo: { text: photo, document: photoDocument(id, { photo, of: key }) } };
}
