import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import { canonicalReference } from "../../resource/reference.ts";
import { planAddMember } from "../groups/add-member.ts";
import { planMerge } from "../groups/merge.ts";
import type { Operation } from "../groups/operation.ts";
import { planRemoveMember } from "../groups/remove-member.ts";
import { planSplit } from "../groups/split.ts";
import type { WriteEntry, Written } from "../types.ts";
import { earlierAnswer } from "../write/idempotency.ts";
import { problemAnswer, putOff, readAnswer, writtenAnswer } from "./answers.ts";
import type { BatchContext, Plan } from "./context.ts";
import { type EntryRequest, isRead, mayAsk, type ReadRequest, type WriteRequest } from "./entry-request.ts";
import { givenIdentifiers } from "./given-identifiers.ts";
import { handedOver } from "./handed-over.ts";
import type { BatchAnswer, BatchResponse } from "./types.ts";

/**
 * Performs a bundle of type `transaction`: all of its writes in one commit or none of them. Its reads are answered after
 * the commit; one that would fail keeps the commit from happening.
 */
export async function performTogether(
  context: BatchContext,
  { requests, order }: Plan,
): Promise<Outcome<BatchAnswer>> {
  const understood = allAsked(context, requests);
  if (!understood.ok) return understood;
  const asked = understood.value;
  const failing =
    (await failingRead(context, asked)) ?? (await handedOver(context.settings, context.caller, asked));
  if (failing) return failure(failing);
  const written = await writeTogether(context, asked, order);
  if (!written.ok) return written;
  const responses: BatchResponse[] = [];
  for (const [entry, request] of asked.entries()) {
    if (isRead(request)) {
      const put = putOff(context.settings, request);
      responses.push(put ? problemAnswer(put) : await readAnswer(context, request));
    } else {
      const one = written.value.get(entry);
      if (one) responses.push(writtenAnswer(context, request, one));
    }
  }
  const answers = [...written.value.values()];
  const replayed = answers.length > 0 && answers.every((answer) => answer.replayed);
  return success({ type: "transaction", responses, replayed });
}

/** The requests of all entries, unless one can't be understood or is not allowed. */
function allAsked(
  { settings, caller }: BatchContext,
  requests: Plan["requests"],
): Outcome<readonly EntryRequest[]> {
  const asked: EntryRequest[] = [];
  for (const [entry, request] of requests.entries()) {
    if (!request.ok) return failure({ ...request.problem, entry });
    const allowed = mayAsk(settings, caller, request.value);
    if (!allowed.ok) return failure({ ...allowed.problem, entry });
    asked.push(request.value);
  }
  return success(asked);
}

/** Reads beforehand what is there already, so that nothing is written for a bundle that would fail afterwards. */
async function failingRead(
  context: BatchContext,
  asked: readonly EntryRequest[],
): Promise<Problem | undefined> {
  const { settings, caller, options } = context;
  if (!asked.some(isRead)) return undefined;
  const earlier = await earlierAnswer(settings, caller, options.idempotency);
  if (earlier) return undefined;
  const upcoming = upcomingOf(settings, asked);
  for (const [entry, request] of asked.entries()) {
    if (!isRead(request) || isUpcoming(request, upcoming)) continue;
    const { problem = putOff(settings, request) } = await readAnswer(context, request);
    if (problem) return { ...problem, entry };
  }
  return undefined;
}

function isUpcoming(request: ReadRequest, upcoming: ReadonlySet<string>): boolean {
  return request.does === "read" && upcoming.has(canonicalReference(request.type, request.address));
}

/** The raw references of what the bundle brings about. */
function upcomingOf(
  { namespace }: BatchContext["settings"],
  asked: readonly EntryRequest[],
): ReadonlySet<string> {
  return new Set(
    asked.flatMap((request) =>
      isRead(request)
        ? []
        : givenIdentifiers(request, namespace).map((identifier) =>
            canonicalReference(request.type, identifier),
          ),
    ),
  );
}

/** The writes of one entry of the bundle. */
interface Share extends Operation {
  readonly entry: number;
}

async function writeTogether(
  context: BatchContext,
  asked: readonly EntryRequest[],
  order: readonly number[],
): Promise<Outcome<ReadonlyMap<number, Written<JsonObject>>>> {
  const upcoming = upcomingOf(context.settings, asked);
  const shares: Share[] = [];
  for (const entry of order) {
    const request = asked[entry];
    if (!request || isRead(request)) continue;
    shares.push({ ...(await operationOf(context, request, upcoming)), entry });
  }
  const { search: _, ...options } = context.options;
  const reasons = shares.flatMap(({ reason }) => reason ?? []);
  const written = await context.view.transaction(
    shares.flatMap(({ entries }) => entries),
    { ...options, ...(reasons.length > 0 && { reason: reasons.join("; ") }) },
  );
  if (!written.ok) return failure(toldOfBundle(written.problem, shares));
  let from = 0;
  const answers = new Map<number, Written<JsonObject>>();
  for (const { entry, entries, answer } of shares) {
    const own = written.value[from + answer];
    if (own) answers.set(entry, own);
    from += entries.length;
  }
  return success(answers);
}

async function operationOf(
  { settings, caller }: BatchContext,
  request: WriteRequest,
  upcoming: ReadonlySet<string>,
): Promise<Operation> {
  const asking = { settings, caller };
  const { address = "" } = "address" in request ? request : {};
  switch (request.does) {
    case "addMember":
      return planAddMember(asking, { ...request, address }, upcoming);
    case "removeMember":
      return planRemoveMember(asking, { ...request, address });
    case "merge":
      return planMerge(asking, request, upcoming);
    case "split":
      return planSplit(asking, { ...request, address });
    default:
      return { entries: [entryOf(request)], answer: 0, told: (problem) => problem };
  }
}

type RecordRequest = Extract<WriteRequest, { does: "create" | "replace" | "patch" }>;

function entryOf(request: RecordRequest): WriteEntry {
  const { does, ...rest } = request;
  return { verb: does, ...rest } as WriteEntry;
}

/** Puts the write that failed in terms of the bundle. Some problems are the whole bundle's. */
function toldOfBundle(problem: Problem, shares: readonly Share[]): Problem {
  const whole = ["idempotency-mismatch", "unavailable", "internal"].includes(problem.kind);
  const writes = shares.flatMap((share) => share.entries.map(() => share));
  const place = problem.entry ?? (writes.length === 1 && !whole ? 0 : undefined);
  const share = place === undefined ? undefined : writes[place];
  return share ? { ...share.told(problem), entry: share.entry } : problem;
}
