import type { JsonObject } from "../../json.ts";
import { type Outcome, type Problem, problemKinds, success } from "../../problem.ts";
import type { Individual } from "../../resource/individual.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { BatchOptions, Page, Readable, RegistryView, Writable, Written } from "../types.ts";
import type { ReadRequest, WriteRequest } from "./entry-request.ts";
import type { BatchResponse } from "./types.ts";

/** The verbs of a type. What they show is taken as plain JSON. */
export function verbsOf(view: RegistryView, type: ResourceType): Writable<JsonObject> {
  const { individuals, groups, programs, memberships } = view;
  const verbs = { Individual: individuals, Group: groups, Program: programs, ProgramMembership: memberships };
  return verbs[type] as unknown as Writable<JsonObject>;
}

/** Performs an entry that reads. Its own `_elements` and `_extensions` come before the bundle's. */
export async function readAnswer(
  view: RegistryView,
  request: ReadRequest,
  options: BatchOptions,
): Promise<BatchResponse> {
  switch (request.does) {
    case "search": {
      const { type, parameters } = request;
      const search = options.search ?? ((...asked) => searchIn(verbsOf(view, asked[0]), asked[1]));
      return answered(await search(type, parameters), (resource) => ({ status: 200, resource }));
    }
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

/** What an entry that wrote is answered with. */
export function writtenAnswer(request: WriteRequest, written: Written<JsonObject>): BatchResponse {
  const { record, reference, versionId, shows, created } = written;
  const status = created || request.does === "addMember" ? 201 : 200;
  const told = { ...(versionId !== "" && { versionId }), ...(shows && { shows }) };
  return { status, reference, created, ...told, resource: record };
}

/** What an entry that failed is answered with. */
export function problemAnswer(problem: Problem): BatchResponse {
  const { entry: _, ...told } = problem;
  return { status: problemKinds[problem.kind].status, problem: told };
}

function answered<T>(outcome: Outcome<T>, answer: (value: T) => BatchResponse): BatchResponse {
  return outcome.ok ? answer(outcome.value) : problemAnswer(outcome.problem);
}
