import { type JsonObject, jsonBytes } from "../../json.ts";
import { type Outcome, type Problem, problemKinds, RegistryError, success } from "../../problem.ts";
import type { Individual } from "../../resource/individual.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Settings } from "../settings.ts";
import type { BatchOptions, Page, Readable, RegistryView, Writable, Written } from "../types.ts";
import type { BatchContext } from "./context.ts";
import { type EntryRequest, isRead, type ReadRequest, type WriteRequest } from "./entry-request.ts";
import type { BatchResponse } from "./types.ts";

/** The verbs of a type. What they show is taken as plain JSON. */
export function verbsOf(view: RegistryView, type: ResourceType): Writable<JsonObject> {
  const { individuals, groups, programs, memberships } = view;
  const verbs = { Individual: individuals, Group: groups, Program: programs, ProgramMembership: memberships };
  return verbs[type] as unknown as Writable<JsonObject>;
}

/**
 * Why an entry is not performed now: the bundle's answer is full, or of an entry that reads, the budget of the bundle is spent. The
 * caller sends it again, in another bundle or alone.
 */
export function putOff({ budget }: Settings, request: EntryRequest): Problem | undefined {
  const isFull = budget.bytesLeft() === 0;
  if (!isFull && !(isRead(request) && budget.isSpent())) return undefined;
  const reason = isFull
    ? "The answer to this bundle is full"
    : "This bundle has read as much as one request may";
  return {
    kind: "too-many-requests",
    detail: `${reason}, so this entry was not performed. Send it again in another bundle.`,
  };
}

/** Counts what an entry adds to the answer. Searches count what they show themselves. */
function counted({ budget }: Settings, response: BatchResponse): BatchResponse {
  const isBounded = budget.bytesLeft() < Number.POSITIVE_INFINITY;
  if (isBounded && response.resource) budget.spendBytes(jsonBytes(response.resource));
  return response;
}

/** Performs an entry that reads. Its own `_elements` and `_extensions` come before the bundle's. */
export async function readAnswer(
  { settings, view, options }: BatchContext,
  request: ReadRequest,
): Promise<BatchResponse> {
  try {
    if (request.does === "search") return await searchAnswer(view, request, options);
    return counted(settings, await singleAnswer(view, request, options));
  } catch (error) {
    // What the budget refuses is this entry's, and not the bundle's.
    if (error instanceof RegistryError) return problemAnswer(error.problem);
    throw error;
  }
}

async function searchAnswer(
  view: RegistryView,
  { type, parameters }: Extract<ReadRequest, { does: "search" }>,
  options: BatchOptions,
): Promise<BatchResponse> {
  const search = options.search ?? ((...asked) => searchIn(verbsOf(view, asked[0]), asked[1]));
  return answered(await search(type, parameters), (resource) => ({ status: 200, resource }));
}

async function singleAnswer(
  view: RegistryView,
  request: Exclude<ReadRequest, { does: "search" }>,
  options: BatchOptions,
): Promise<BatchResponse> {
  switch (request.does) {
    case "read": {
      const { elements, extensions } = options;
      const inherited = {
        ...(elements !== undefined && { elements }),
        ...(extensions !== undefined && { extensions }),
      };
      const verbs = verbsOf(view, request.type);
      const found = await verbs.disclose(request.address, { ...inherited, ...request.options });
      return answered(found, ({ record, versionId, key, shows }) => ({
        status: 200,
        resource: record,
        ...(shows && { shows }),
        ...(versionId !== undefined && { versionId }),
        ...(key !== undefined && { key }),
      }));
    }
    case "readConsent":
      return answered(await view.consents.read(request.id), (consent) => ({
        status: 200,
        versionId: consent.meta.versionId,
        resource: consent as unknown as JsonObject,
      }));
  }
}

async function searchIn(
  verbs: Readable<JsonObject>,
  parameters: Parameters<Readable<Individual>["search"]>[0],
): Promise<Outcome<JsonObject>> {
  const found: Outcome<Page<JsonObject>> = await verbs.search(parameters);
  if (!found.ok) return found;
  const { data, nextCursor, hasMore, total } = found.value;
  const pagination = { next_cursor: nextCursor ?? null, has_more: hasMore };
  return success({ data, pagination, ...(total !== undefined && { meta: { total } }) });
}

/** What an entry that wrote is answered with; without the record, where the answer to the bundle is full. */
export function writtenAnswer(
  { settings }: BatchContext,
  request: WriteRequest,
  written: Written<JsonObject>,
): BatchResponse {
  const { record, reference, versionId, shows, created } = written;
  const status = created || request.does === "addMember" ? 201 : 200;
  const told = { ...(versionId !== "" && { versionId }), ...(shows && { shows }) };
  const response = { status, reference, created, ...told };
  if (settings.budget.bytesLeft() === 0) return response;
  return counted(settings, { ...response, resource: record });
}

/** What an entry that failed is answered with. */
export function problemAnswer(problem: Problem): BatchResponse {
  const { entry: _, ...told } = problem;
  return { status: problemKinds[problem.kind].status, problem: told };
}

function answered<T>(outcome: Outcome<T>, answer: (value: T) => BatchResponse): BatchResponse {
  return outcome.ok ? answer(outcome.value) : problemAnswer(outcome.problem);
}
