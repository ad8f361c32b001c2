import { tellRead } from "../audit/tell-read.ts";
import { failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import { findVisible } from "../registry/find-visible.ts";
import { declaredAt } from "../registry/record/declared.ts";
import { recordKey, storedRecord } from "../registry/record/document.ts";
import { referenceTo } from "../registry/record/render.ts";
import { requireScope } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey, isBound, sightOf } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import type { Meta } from "../resource/common.ts";
import { canonicalReference, parseReference, printReference, splitRaw } from "../resource/reference.ts";
import type { DocumentKey } from "../store/port.ts";
import { quoted } from "../text.ts";
import { type ChangedConsent, type ConsentChange, changeConsent } from "./commit-consent.ts";
import { consentsFor, consentsOf } from "./consent-sight.ts";
import { decideMove, withoutEvidence } from "./decide.ts";
import { consentCollection, granteeEntries, type StoredConsent, storedConsent } from "./document.ts";
import { periodsAfter } from "./periods.ts";
import { expiredBeforeIt, isUuid, validateTerms } from "./terms.ts";
import { statusOn } from "./transitions.ts";
import type { Consent, ConsentOptions, ConsentStatus, ConsentVerbs } from "./types.ts";
import { wholeVisibility } from "./visibility.ts";
import { isExempt } from "./visible-fields.ts";

/** States from which on a consent shows something. */
const opening: readonly ConsentStatus[] = ["given", "renewed"];

/** Who depends on consents must not be the one who says that they were given. */
const givesItself: Problem = {
  kind: "authorization",
  detail:
    "Only a client with a legal basis of its own records that a consent was given or renewed; yours depends on consents. Ask the register's operator to record it.",
};

/** A consent's evidence is the person's form or signature: it is kept for those who answer for the register. */
const erasesNothing: Problem = {
  kind: "authorization",
  detail:
    "Only a client that sees whole records may delete a consent, which erases its evidence. Withdraw it with $revoke, or ask the register's operator to delete it.",
};

/** What one caller may do with consents: contract sections 2 and 3. */
export function consentVerbs(settings: Settings, caller: Caller): ConsentVerbs {
  const may = (access: "read" | "write") => requireScope(caller, `registry:${access}`);
  const moveTo = async (id: string, move: Move, options?: ConsentOptions, erase = false) => {
    const allowed = opening.includes(move.to) ? mayGive() : may("write");
    if (!allowed.ok) return allowed;
    const decide = () => moved(settings, caller, { id, move, erase });
    return shownOutcome(settings, caller, await changeConsent(settings, caller, decide, options));
  };
  const revokeOnce: ConsentVerbs["revokeOnce"] = (id, { reason, ...rest } = {}) =>
    moveTo(id, { to: "withdrawn", ...(reason !== undefined && { reason }) }, rest);
  const mayGive = () => (isExempt(caller) ? may("write") : failure(givesItself));
  return {
    read: async (id) => {
      const allowed = may("read");
      if (!allowed.ok) return allowed;
      const found = await find(settings, caller, id);
      if (!found.ok) return found;
      const record = await shown(settings, caller, found.value);
      const told = { type: "Consent", key: id, record: { ...record } as never, visibility: wholeVisibility };
      tellRead(settings, caller, { action: "read", shown: [told] });
      return success(record);
    },
    grant: async (terms, options = {}) => {
      const allowed = mayGive();
      if (!allowed.ok) return allowed;
      const decide = () => granted(settings, caller, terms, options);
      return bare(shownOutcome(settings, caller, await changeConsent(settings, caller, decide, options)));
    },
    revoke: (id, options) => bare(revokeOnce(id, options)),
    revokeOnce,
    remove: async (id, options) => {
      const allowed = may("write");
      if (!allowed.ok) return allowed;
      if (isBound(caller)) return failure(erasesNothing);
      const removed = await moveTo(id, { to: "withdrawn" }, options, true);
      return removed.ok ? success(undefined) : removed;
    },
    move: (id, to, details = {}) => bare(moveTo(id, { to, ...details })),
    ofSubject: async (reference) => {
      const allowed = may("read");
      return allowed.ok ? ofSubject(settings, caller, reference) : allowed;
    },
  };
}

interface Move {
  readonly to: ConsentStatus;
  readonly reason?: string;
  readonly expiryDate?: string;
}

async function granted(
  settings: Settings,
  caller: Caller,
  terms: unknown,
  { trusted, id: given }: ConsentOptions,
): Promise<Outcome<ConsentChange>> {
  const valid = validateTerms(terms, { trusted, context: settings.schemas.context });
  if (!valid.ok) return valid;
  const {
    id = given ?? settings.newId(),
    status = "given",
    subject,
    revocation,
    meta,
    ...rest
  } = valid.value;
  const known = trusted?.id === undefined ? undefined : await load(settings, id);
  if (known) return success({ before: known, after: known, action: "grant" });
  const parsed = parseReference(subject.reference);
  if (!parsed.ok) return parsed;
  const { type, ...address } = parsed.value;
  const found = await findVisible(settings, caller, { type, address });
  if (!found.ok) return failure(unknownSubject(printReference(type, address)));
  const consent = {
    ...rest,
    id: id.toLowerCase(),
    type: "Consent" as const,
    status,
    subject: { reference: canonicalReference(type, address) },
    effectiveDate: rest.effectiveDate ?? settings.today(),
    ...(revocation && { revocation }),
    meta: meta ?? settings.policies.stamp(null, caller, settings.now()),
  };
  const fault = expiredBeforeIt(consent);
  if (fault) return failure(invalid([fault]));
  const periods = periodsAfter([], consent, settings.now());
  const after = { version: 1, consent, subjectKey: found.value.stored.key, periods };
  return success({ before: null, after, action: "grant" });
}

function unknownSubject(reference: string): Problem {
  const message = `${quoted(reference)} does not exist; create it first`;
  return invalid([{ field: "/subject/reference", code: "unknown_reference", message }]);
}

async function moved(
  settings: Settings,
  caller: Caller,
  { id, move, erase }: { readonly id: string; readonly move: Move; readonly erase: boolean },
): Promise<Outcome<ConsentChange>> {
  const found = await find(settings, caller, id);
  if (!found.ok) return found;
  const before = found.value;
  const meta = settings.policies.stamp(before.consent.meta, caller, settings.now());
  // What shows nothing any more can't be withdrawn; its evidence may still be somebody's papers.
  if (erase && isOver(settings, before)) return success(erased(before, meta));
  const by = `urn:${settings.namespace}:api-client:${caller.clientId}`;
  const decided = decideMove(before, { ...move, by, today: settings.today(), at: settings.now(), meta });
  if (!decided.ok) return decided;
  const action = move.to === "withdrawn" ? "revoke" : "change";
  return success({ before, after: erase ? withoutEvidence(decided.value) : decided.value, action });
}

function isOver({ today }: Settings, { consent }: StoredConsent): boolean {
  const status = statusOn(consent, today());
  return status === "withdrawn" || status === "expired";
}

function erased(before: StoredConsent, meta: Meta): ConsentChange {
  const action = before.consent.status === "withdrawn" ? "revoke" : "change";
  if (before.consent.evidence === undefined) return { before, after: before, action };
  const { consent, ...rest } = withoutEvidence(before);
  return { before, after: { ...rest, version: before.version + 1, consent: { ...consent, meta } }, action };
}

/** A caller bound by consent knows of those given to it; the others are as unknown to it as what is not there. */
async function find(settings: Settings, caller: Caller, id: string): Promise<Outcome<StoredConsent>> {
  const stored = (await mayKnow(settings, caller, id)) ? await load(settings, id) : undefined;
  if (stored) return success(stored);
  return failure({ kind: "not-found", detail: `There is no Consent ${id}.` });
}

async function load({ store }: Settings, id: string): Promise<StoredConsent | undefined> {
  if (!isUuid(id)) return undefined;
  const [document] = await store.get([consentKey(id)]);
  return document && storedConsent(document);
}

function consentKey(id: string): DocumentKey {
  return { collection: consentCollection, key: id.toLowerCase() };
}

async function mayKnow(settings: Settings, caller: Caller, id: string): Promise<boolean> {
  if (isExempt(caller) || !isUuid(id)) return isExempt(caller);
  const { grantee = [] } = (await declaredAt(settings, consentKey(id)))?.entries ?? {};
  return granteeEntries(caller).some((own) => grantee.includes(own));
}

async function ofSubject(
  settings: Settings,
  caller: Caller,
  reference: string,
): Promise<Outcome<readonly Consent[]>> {
  const parsed = parseReference(reference);
  if (!parsed.ok) return parsed;
  const { type, ...address } = parsed.value;
  const [holder] = await settings.store.resolve([canonicalReference(type, address)]);
  const subjects = [holder?.key ?? absentKey(type).key];
  const known = isExempt(caller)
    ? await consentsOf(settings, subjects)
    : await consentsFor(settings, caller, subjects);
  return success(await Promise.all(known.map((stored) => shown(settings, caller, stored))));
}

async function shownOutcome(
  settings: Settings,
  caller: Caller,
  outcome: Outcome<ChangedConsent>,
): ReturnType<ConsentVerbs["revokeOnce"]> {
  if (!outcome.ok) return outcome;
  const { stored, replayed } = outcome.value;
  return success({ record: await shown(settings, caller, stored), replayed });
}

async function bare(changed: ReturnType<ConsentVerbs["revokeOnce"]>): Promise<Outcome<Consent>> {
  const outcome = await changed;
  return outcome.ok ? success(outcome.value.record) : outcome;
}

/**
 * A consent as it is today, its subject under an identifier that it has now: for those who see the subject. For others it stays
 * under the one with which the consent was given. A restricted caller is not shown its evidence.
 */
async function shown(settings: Settings, caller: Caller, stored: StoredConsent): Promise<Consent> {
  const { id, meta, ...rest } = (isBound(caller) ? withoutEvidence(stored) : stored).consent;
  const status = statusOn(stored.consent, settings.today());
  const reference = await subjectFor(settings, caller, stored);
  return { id, ...rest, type: "Consent", status, subject: { reference }, meta };
}

async function subjectFor(
  settings: Settings,
  caller: Caller,
  { consent, subjectKey }: StoredConsent,
): Promise<string> {
  const { type, ...address } = splitRaw(consent.subject.reference);
  const at = recordKey(type, subjectKey);
  const isSeen = (await sightOf(settings, caller, [at])).has(subjectKey);
  const [document] = isSeen ? await settings.store.get([at]) : [];
  return document ? referenceTo(type, storedRecord(document).record) : printReference(type, address);
}
