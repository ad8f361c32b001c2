import { auditDocument } from "../audit/document.ts";
import { type AuditEntry, auditOf } from "../audit/types.ts";
import { fieldsChanged, undoOf } from "../audit/undo.ts";
import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import { joined } from "../registry/write/commit-parts.ts";
import type { CommitPart } from "../registry/write/followers.ts";
import { earlierAnswer, rememberAnswer } from "../registry/write/idempotency.ts";
import type { Expectation } from "../store/port.ts";
import { consentCollection, consentDocument, type StoredConsent, storedConsent } from "./document.ts";
import { touchUnder } from "./touch.ts";
import type { ConsentOptions } from "./types.ts";

/** A consent before and after; the same twice when nothing changes. */
export interface ConsentChange {
  readonly before: StoredConsent | null;
  readonly after: StoredConsent;
  readonly action: AuditEntry["action"];
}

/** A consent as it is once a change is done. */
export interface ChangedConsent {
  readonly stored: StoredConsent;
  /** Whether an earlier request with the same idempotency key did it. */
  readonly replayed: boolean;
}

const attempts = 50;

/**
 * Loads, decides and commits a change of a consent, with its audit entry and the records that it shows or hides from now
 * on; tried again when somebody else was faster.
 */
export async function changeConsent(
  settings: Settings,
  caller: Caller,
  decide: () => Promise<Outcome<ConsentChange>>,
  options: ConsentOptions = {},
): Promise<Outcome<ChangedConsent>> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const earlier = await earlierAnswer(settings, caller, options.idempotency);
    if (earlier && !earlier.ok) return earlier;
    if (earlier) return asItIs(settings, earlier.value[0]?.record);
    const decided = await decide();
    if (!decided.ok) return decided;
    const { before, after } = decided.value;
    if (before === after) return success({ stored: after, replayed: false });
    const answer = rememberAnswer(caller, {
      idempotency: options.idempotency,
      answers: [answerOf(after)],
      at: settings.now(),
    });
    const touched = await touchUnder(settings, after);
    const commit = joined([
      ownPart(decided.value),
      touched,
      auditPart(settings, caller, decided.value),
      answer,
    ]);
    const result = await settings.store.commit(commit);
    if (result.ok) return success({ stored: after, replayed: false });
  }
  return failure({
    kind: "unavailable",
    detail: "Too many others write the same records just now. Try again.",
  });
}

/** A repeated request is answered with the consent as it is now: of erased evidence no answer may keep a copy. */
async function asItIs(
  { store }: Pick<Settings, "store">,
  remembered: JsonObject | undefined,
): Promise<Outcome<ChangedConsent>> {
  const id = String(remembered?.id);
  const [document] = await store.get([{ collection: consentCollection, key: id }]);
  return document
    ? success({ stored: storedConsent(document), replayed: true })
    : failure({ kind: "not-found", detail: `There is no Consent ${id}.` });
}

function answerOf(after: StoredConsent) {
  const { id, meta } = after.consent;
  return {
    record: { id },
    reference: `Consent/${id}`,
    versionId: meta.versionId,
    created: after.version === 1,
    replayed: false,
  };
}

function ownPart({ before, after }: ConsentChange): CommitPart {
  const at = { collection: consentCollection, key: after.consent.id };
  const expectation: Expectation = before
    ? { kind: "version", ...at, version: before.version }
    : { kind: "absent", ...at };
  return { expect: [expectation], put: [consentDocument(after)] };
}

function auditPart(settings: Settings, caller: Caller, { before, after, action }: ConsentChange): CommitPart {
  if (!settings.policies.audit) return {};
  const { consent, subjectKey } = after;
  const subjectType = consent.subject.reference.split("/")[0];
  const [former, present] = [before?.consent ?? null, consent].map(
    (one) => one as unknown as JsonObject | null,
  );
  const erased = former?.evidence !== undefined && present?.evidence === undefined;
  const entry: AuditEntry = {
    at: settings.now(),
    action,
    ...auditOf(caller),
    records: [`Consent/${consent.id}`, `${subjectType}/${subjectKey}`],
    fields: fieldsChanged(former ?? null, present ?? {}),
    versionId: consent.meta.versionId,
    // Erased evidence must not live on in the trail.
    ...(!erased && { undo: undoOf(former ?? null, present ?? {}) }),
  };
  return { put: [auditDocument(entry, settings.newId())] };
}
