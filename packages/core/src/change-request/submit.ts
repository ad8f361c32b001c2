import { auditPart } from "../benefits/audit-part.ts";
import { type Changed, commitChange } from "../benefits/commit-change.ts";
import type { Outcome } from "../problem.ts";
import { success } from "../problem.ts";
import type { Links } from "../registry/record/document.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RegistryView, WriteOptions } from "../registry/types.ts";
import { joined } from "../registry/write/commit-parts.ts";
import { rememberAnswer } from "../registry/write/idempotency.ts";
import { applyRequest } from "./apply.ts";
import {
  changeRequestDocument,
  changeRequestKey,
  changeRequestOf,
  loadChangeRequest,
  type StoredChangeRequest,
  unchangedRequest,
  unkeptData,
  versionIdOf,
} from "./document.ts";
import { decisionOf, submitDraft } from "./move.ts";
import { checkData, readSubmission, registrantOfData, type SubmittedRequest } from "./read-request.ts";
import { mayDecide } from "./sight.ts";
import type { ChangeRequest } from "./types.ts";

interface Submission {
  readonly viewOver: (settings: Settings) => RegistryView;
  readonly body: unknown;
  readonly options: WriteOptions;
}

/**
 * Submits a request. One of an automatic type is applied at once, or nothing of it stays; a caller bound by consent has it wait,
 * for somebody else to decide.
 */
export async function submitRequest(
  settings: Settings,
  caller: Caller,
  { viewOver, body, options }: Submission,
): Promise<Outcome<Changed<ChangeRequest>>> {
  const read = readSubmission(settings, body);
  if (!read.ok) return read;
  const key = settings.newId();
  const changed = await commitChange(settings, caller, {
    unkept: unkeptData(settings, caller),
    idempotency: options.idempotency,
    decide: async () => {
      const checked = await checkData(settings, caller, read.value);
      if (!checked.ok) return checked;
      const { links, expect } = checked.value;
      const made = newRequest(settings, caller, { submitted: read.value, links, key });
      const own = { expect: [unchangedRequest(key, 0), ...expect], put: [changeRequestDocument(made)] };
      const entry = { action: "create", record: `ChangeRequest/${key}`, version: 1 } as const;
      const audit = auditPart(settings, caller, entry);
      const record = await changeRequestOf(settings, caller, made);
      return success({ parts: [own, audit], record, versionId: versionIdOf(made) });
    },
  });
  if (!changed.ok || changed.value.record.status !== "approved" || !mayDecide(caller).ok) return changed;
  return finishAutomatic(settings, caller, { viewOver, options, submitted: changed.value });
}

interface NewRequest {
  readonly submitted: SubmittedRequest;
  readonly links: Links;
  readonly key: string;
}

function newRequest(
  settings: Settings,
  caller: Caller,
  { submitted: { type, data, draft }, links, key }: NewRequest,
): StoredChangeRequest {
  const registrant = registrantOfData(data);
  const waiting = type.auto && mayDecide(caller).ok ? "approved" : "pending";
  const body = {
    type: type.name,
    data,
    links,
    status: draft ? ("draft" as const) : (waiting as "approved" | "pending"),
    submittedBy: caller.clientId,
    submitted_at: settings.now(),
    ...(registrant !== undefined && { registrant }),
  };
  return { key, version: 1, body };
}

/** Submits a draft. One of an automatic type is applied at once, or is a draft again. */
export async function submitDraftRequest(
  settings: Settings,
  caller: Caller,
  { viewOver, extId, options }: Omit<Submission, "body"> & { readonly extId: string },
): Promise<Outcome<Changed<ChangeRequest>>> {
  const changed = await submitDraft(settings, caller, { extId, options });
  if (!changed.ok || changed.value.record.status !== "approved" || !mayDecide(caller).ok) return changed;
  return finishAutomatic(settings, caller, { viewOver, options, submitted: changed.value, wasDraft: true });
}

interface Automatic extends Omit<Submission, "body"> {
  readonly submitted: Changed<ChangeRequest>;
  /** Whether it was a draft before, and is to be one again when it can't be applied. */
  readonly wasDraft?: boolean;
}

/**
 * Applies what was just submitted. A crash before it leaves an approved request, which the same submission with its
 * idempotency key, or `$apply`, goes on with. Data that can't be applied leave nothing behind but the draft, if it was one.
 */
async function finishAutomatic(
  settings: Settings,
  caller: Caller,
  { viewOver, options: { idempotency }, submitted: { record, replayed }, wasDraft = false }: Automatic,
): Promise<Outcome<Changed<ChangeRequest>>> {
  const found = await loadChangeRequest(settings, record.ext_id);
  if (found && found.body.status !== "approved") {
    const present = await changeRequestOf(settings, caller, found);
    return success({ record: present, versionId: versionIdOf(found), replayed });
  }
  const applied = await applyRequest(settings, caller, { viewOver, extId: record.ext_id });
  if (applied.ok) return success({ ...applied.value, replayed });
  if (applied.problem.kind === "unavailable" || applied.problem.kind === "internal" || !found) return applied;
  const remembered = rememberAnswer(caller, { idempotency, answers: [], at: settings.now() }).put ?? [];
  const back = wasDraft
    ? (await decisionOf(settings, caller, { before: found, body: { ...found.body, status: "draft" } })).parts
    : [{ expect: [unchangedRequest(found.key, found.version)], remove: [changeRequestKey(found.key)] }];
  const forgotten = { remove: remembered.map(({ collection, key }) => ({ collection, key })) };
  await settings.store.commit(joined([...back, forgotten]));
  return applied;
}
