import * as z from "zod";
import { auditPart } from "../benefits/audit-part.ts";
import { type Changed, commitChange, type Decision } from "../benefits/commit-change.ts";
import { isExempt } from "../consent/visible-fields.ts";
import { type JsonObject, sameJson } from "../json.ts";
import { diffMergePatch } from "../merge/patch.ts";
import { type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, WriteOptions } from "../registry/types.ts";
import { anyObject } from "../resource/any-json.ts";
import { parseInput } from "../resource/parse-input.ts";
import type { Expectation } from "../store/port.ts";
import {
  changeRequestDocument,
  changeRequestOf,
  type StoredChangeRequest,
  unchangedRequest,
  unkeptData,
  versionIdOf,
} from "./document.ts";
import { linkData } from "./linked-data.ts";
import { checkData, readData, registrantOfData, typeNamed } from "./read-request.ts";
import { findExpected, findRequest, mayDecide } from "./sight.ts";
import { checkRequestMove } from "./states.ts";
import type { ChangeRequest } from "./types.ts";

type Body = StoredChangeRequest["body"];

/** Which request is changed, in which version, and under which key. */
interface Target {
  readonly extId: string;
  readonly options?: WriteOptions | undefined;
}

interface Next {
  readonly body: Body;
  /** What must hold besides the request's own version. */
  readonly expect?: readonly Expectation[];
}

/** A change of a request: what it becomes of what it is, or why not. */
interface Step extends Target {
  readonly next: (body: Body) => Promise<Outcome<Next>>;
}

/** Changes a request in one commit with its audit entry. */
function changeRequest(
  settings: Settings,
  caller: Caller,
  { extId, options: { ifMatch, idempotency } = {}, next }: Step,
): Promise<Outcome<Changed<ChangeRequest>>> {
  return commitChange(settings, caller, {
    unkept: unkeptData(settings, caller),
    idempotency,
    mayHear: () => findRequest(settings, caller, extId),
    decide: async () => {
      const found = await findExpected(settings, caller, { extId, ifMatch });
      if (!found.ok) return found;
      const decided = await next(found.value.body);
      if (!decided.ok) return decided;
      return success(await decisionOf(settings, caller, { before: found.value, ...decided.value }));
    },
  });
}

/** What is committed to make a request what it is to be. */
export async function decisionOf(
  settings: Settings,
  caller: Caller,
  { before, body, expect = [] }: Next & { readonly before: StoredChangeRequest },
): Promise<Decision<ChangeRequest>> {
  const { key } = before;
  const present = body as unknown as JsonObject;
  const former = before.body as unknown as JsonObject;
  // Whether the same words mean other records by now is no business of who may not see these: its version would tell.
  if (isExempt(caller) && sameJson(present, former))
    return { parts: [], ...(await shownAs(settings, caller, before)) };
  const after: StoredChangeRequest = { key, version: before.version + 1, body };
  // What is asked for may be evidence, of which no copy may stay when it is erased.
  const { data, links: _, ...undo } = diffMergePatch(present, former);
  const audit = auditPart(settings, caller, {
    action: "change",
    record: `ChangeRequest/${key}`,
    version: after.version,
    fields: [...Object.keys(undo), ...(data === undefined ? [] : ["data"])],
    undo,
    reason: body.reviewed_at === before.body.reviewed_at ? undefined : body.reason,
  });
  const own = {
    expect: [unchangedRequest(key, before.version), ...expect],
    put: [changeRequestDocument(after)],
  };
  return { parts: [own, audit], ...(await shownAs(settings, caller, after)) };
}

async function shownAs(settings: Settings, caller: Caller, stored: StoredChangeRequest) {
  return { record: await changeRequestOf(settings, caller, stored), versionId: versionIdOf(stored) };
}

interface Review extends Target {
  readonly to: "approved" | "rejected" | "revision";
  readonly reason?: string | undefined;
}

/** Approves, rejects or sends back a pending request; who did, when and why is kept. */
export function reviewRequest(
  settings: Settings,
  caller: Caller,
  { extId, to, reason, options }: Review,
): Promise<Outcome<Changed<ChangeRequest>>> {
  const next = async (body: Body): Promise<Outcome<Next>> => {
    const allowed = checkRequestMove(body.status, to);
    if (!allowed.ok) return allowed;
    const { reason: _, ...rest } = body;
    const reviewed = { reviewedBy: caller.clientId, reviewed_at: settings.now() };
    const moved = { ...rest, ...reviewed, status: to, ...(reason !== undefined && { reason }) };
    return success(to === "approved" ? await linkedFurther(settings, moved) : { body: moved });
  };
  return changeRequest(settings, caller, { extId, options, next });
}

/**
 * What is approved is what its references mean by then: those without a link, of a request that an earlier version kept or that was
 * imported before its records, get theirs.
 */
async function linkedFurther(settings: Settings, body: Body): Promise<Next> {
  const linked = await linkData(settings, body.data, body.links);
  if (!linked.ok) return { body };
  const { links, expect } = linked.value;
  return { body: { ...body, links }, expect };
}

const replacement = z.strictObject({ data: anyObject });

interface Replacement extends Target {
  readonly body: unknown;
}

/** Replaces the data of a draft, or of one sent back for revision, which is a draft from then on. */
export function replaceRequest(
  settings: Settings,
  caller: Caller,
  { extId, body: sent, options }: Replacement,
): Promise<Outcome<Changed<ChangeRequest>>> {
  const next = async (body: Body): Promise<Outcome<Next>> => {
    const allowed = body.status === "draft" ? success(undefined) : checkRequestMove(body.status, "draft");
    if (!allowed.ok) return allowed;
    const input = parseInput(replacement, sent);
    if (!input.ok) return input;
    const { links: _, ...rest } = body;
    const data = input.value.data as JsonObject;
    return checkedBody(settings, caller, { ...rest, data, status: "draft" });
  };
  return changeRequest(settings, caller, { extId, options, next });
}

/** Submits a draft, its data checked anew; one of an automatic type is approved by that, where its caller may decide. */
export function submitDraft(
  settings: Settings,
  caller: Caller,
  { extId, options }: Target,
): Promise<Outcome<Changed<ChangeRequest>>> {
  const next = async (body: Body): Promise<Outcome<Next>> => {
    const allowed = checkRequestMove(body.status, "pending");
    if (!allowed.ok) return allowed;
    const type = typeNamed(settings, body.type);
    const status = type.ok && type.value.auto && mayDecide(caller).ok ? "approved" : "pending";
    return checkedBody(settings, caller, { ...body, status, submitted_at: settings.now() });
  };
  return changeRequest(settings, caller, { extId, options, next });
}

/** The request with its data as its type reads them, checked as if it were submitted anew. */
async function checkedBody(settings: Settings, caller: Caller, body: Body): Promise<Outcome<Next>> {
  const type = typeNamed(settings, body.type);
  if (!type.ok) return type;
  const read = readData(type.value, body.data);
  if (!read.ok) return read;
  const checked = await checkData(settings, caller, { type: type.value, data: read.value, kept: body.links });
  if (!checked.ok) return checked;
  const { links, expect } = checked.value;
  const data = read.value;
  const { registrant: _, ...rest } = body;
  const registrant = registrantOfData(data);
  return success({ body: { ...rest, data, links, ...(registrant !== undefined && { registrant }) }, expect });
}
