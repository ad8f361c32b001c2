import {
  failure,
  type Outcome,
  optionRules,
  type Problem,
  problemKinds,
  refuseWrongOptions,
  type Store,
} from "@fieldroll/core";
import { withContext } from "../http/caller-context.ts";
import { tagOf } from "../http/disclosure.ts";
import type { FormerExchange, FormerVersion } from "../http/former-version.ts";
import { faultOfAddress } from "../http/percent-encoding.ts";
import { problemOf } from "../http/problem-details.ts";
import { spentQuota } from "../http/rate-limit.ts";
import { replayHeader } from "../http/written.ts";
import { createIntegerIds, type IntegerIds } from "./integer-ids.ts";
import { createOffsetLists } from "./offset-list.ts";
import { type FormerAnswer, type FormerCall, matchFormer, nobody, type Operation } from "./operations.ts";
import { admit } from "./session.ts";
import { formerError, inFormerWords } from "./words.ts";

/** When version 1 ends: specification, "Versioning". */
const sunset = "Thu, 31 Dec 2026 00:00:00 GMT";

/**
 * Makes the compatibility layer of version 1 below `/api/v1/g2p`: contract section 9. It answers in version 1's words what
 * version 2 would, through the same view of the registry, so scopes, consent and the audit trail are the same.
 *
 * @param store keeps the integers that version 1 knows records by
 * @throws TypeError for what is no store
 *
 * @example
 * const handle = createHandler({ registry, issuer, v1: "warn", formerVersion: createV1(store) });
 */
export function createV1(store: Store): FormerVersion {
  refuseWrongOptions("createV1", { store }, { store: optionRules.store });
  const ids = createIntegerIds(store);
  const lists = createOffsetLists();
  return async (exchange) => {
    const { service, migrationUrl } = exchange;
    const headers = { Deprecation: "true", Sunset: sunset, Link: `<${migrationUrl}>; rel="deprecation"` };
    try {
      return withHeaders(await answer(exchange, { ids, lists }), headers);
    } catch (error) {
      service.storage.observe(error);
      const problem = problemOf(error);
      // Something is wrong here: the handler tells the operator.
      if (problem.kind === "internal") throw error;
      return withHeaders(refusal(problem, { "Retry-After": "5" }), headers);
    }
  };
}

type Parts = Pick<FormerCall, "ids" | "lists">;

async function answer(exchange: FormerExchange, parts: Parts): Promise<Response> {
  const { service, request, path, peer } = exchange;
  const place = matchFormer(path);
  if (!place) return refusal({ kind: "not-found", detail: "There is nothing at this path of version 1." });
  const allow = Object.keys(place.operations).join(", ");
  const operation = Object.hasOwn(place.operations, request.method) && place.operations[request.method];
  if (!operation) {
    const detail = `${request.method} is not possible here. Possible are ${allow}.`;
    return refusal({ kind: "method-not-allowed", detail }, { Allow: allow });
  }
  const url = new URL(request.url);
  const origin = service.publicUrl ?? url.origin;
  const admission = await admit(service.issuer, { request, peer, origin });
  if (!admission.ok) return refusal(admission.problem, admission.headers);
  const quota = service.quotaOf(admission.caller.clientId);
  const spent = spentQuota(quota);
  if (spent) return refusal(spent.problem, spent.headers);
  const cookie: Record<string, string> = admission.cookie ? { "Set-Cookie": admission.cookie } : {};
  const headersNow = () => ({ ...quota.headers(), ...cookie });
  const stated = withContext(admission.caller, exchange);
  if (!stated.ok) return refusal(stated.problem, headersNow());
  if (!stated.value.scopes.includes(operation.scope)) return refusal(lacking(operation.scope), headersNow());
  const fault = faultOfAddress(request.url, "{id}");
  if (fault) return refusal(fault, headersNow());
  const budget = service.budgetOf(request);
  const view = service.registry.as(stated.value, { budget });
  const names = new Map<string, string>();
  const call = {
    ...parts,
    view,
    budget,
    caller: stated.value,
    request,
    quota,
    url,
    target: place.target,
    names,
  };
  try {
    const outcome = await withNumber(call, place.number, operation);
    if (!outcome.ok) return refusal(outcome.problem, headersNow(), names);
    return withHeaders(await printed(outcome.value, parts.ids), headersNow());
  } finally {
    budget.close();
  }
}

/** Told before anything is looked up. */
function lacking(scope: string): Problem {
  return { kind: "authorization", detail: `This needs the scope ${scope}, which the client does not have.` };
}

/** Finds the `ext_id` behind the path's integer; one that nobody has leads nowhere, by the same way as one that is hidden. */
async function withNumber(
  call: FormerCall,
  number: { readonly kind: Parameters<IntegerIds["extIdOf"]>[0]; readonly text: string } | undefined,
  { run }: Operation,
): Promise<Outcome<FormerAnswer>> {
  if (!number) return run(call, { extId: "", id: 0 });
  const { kind, text } = number;
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id < 1) return failure({ kind: "not-found", detail: `There is no ${kind} with the id ${text}.` });
  const extId = (await call.ids.extIdOf(kind, id)) ?? nobody;
  call.names.set(extId, String(id));
  return run(call, { extId, id });
}

async function printed(answer: FormerAnswer, ids: IntegerIds): Promise<Response> {
  const { status, records, bare, replayed = false, versionId = "" } = answer;
  const words = await inFormerWords(records, ids);
  const headers = { ...tagOf(versionId), ...replayHeader(replayed) };
  return Response.json(bare ? words : words[0], { status, headers });
}

function refusal(
  problem: Problem,
  headers: Readonly<Record<string, string>> = {},
  names?: ReadonlyMap<string, string>,
): Response {
  const { status } = problemKinds[problem.kind];
  return Response.json(formerError(problem, names), { status, headers });
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
