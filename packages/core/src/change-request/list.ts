import { listDocuments } from "../benefits/paging.ts";
import { isExempt } from "../consent/visible-fields.ts";
import { type Outcome, problemIn, success, together } from "../problem.ts";
import { faultOfWords, limitOf } from "../registry/search/one-parameter.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Page } from "../registry/types.ts";
import type { Condition } from "../store/port.ts";
import { changeRequestCollection, storedRequest, summaryOf } from "./document.ts";
import { typesOf } from "./read-request.ts";
import { tellRequestsShown } from "./sight.ts";
import { type ChangeRequest, type ChangeRequestListRequest, changeRequestStates } from "./types.ts";

/**
 * One page of the requests, the oldest first: who works through them comes upon each once, and new ones come at the end. A
 * caller bound by consent sees those that it submitted, at the cost of those.
 */
export async function listRequests(
  settings: Settings,
  caller: Caller,
  request: ChangeRequestListRequest,
): Promise<Outcome<Page<ChangeRequest>>> {
  const wanted = conditionsOf(settings, request);
  if (!wanted.ok) return wanted;
  const { status = "", type = "" } = request;
  const own: Condition[] = isExempt(caller) ? [] : [{ index: "submitter", anyOf: [caller.clientId] }];
  const page = await listDocuments(settings, caller, {
    name: `change requests\n${status}\n${type}`,
    request,
    query: { collection: changeRequestCollection, where: [...own, ...wanted.value] },
    show: (document) => summaryOf(settings, storedRequest(document)),
  });
  if (page.ok) tellRequestsShown(settings, caller, { action: "search", shown: page.value.data });
  return page;
}

function conditionsOf(
  settings: Settings,
  { status, type, limit }: ChangeRequestListRequest,
): Outcome<readonly Condition[]> {
  const [states, types] = [status?.split(","), type?.split(",")];
  const declared = typesOf(settings).map(({ name }) => name);
  const refused = together([
    faultOfWords("status", states, changeRequestStates),
    faultOfWords("type", types, declared),
    problemIn(limitOf(limit)),
  ]);
  if (refused) return refused;
  return success([
    ...(states ? [{ index: "status", anyOf: states }] : []),
    ...(types ? [{ index: "type", anyOf: types }] : []),
  ]);
}
