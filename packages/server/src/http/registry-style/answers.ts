import { type Outcome, type Page, success } from "@fieldroll/core";
import { tagOf } from "../disclosure.ts";
import type { CallerExchange } from "../exchange.ts";
import { paginationOf } from "../paging.ts";
import { hasVersion } from "../preconditions.ts";
import { problemDetails } from "../problem-details.ts";

/** What answers on a route of the registry-style half. */
export type RegistryStyleFunction = (exchange: CallerExchange) => Promise<Outcome<Response>>;

interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One record: `{"data": {…}}`. */
export function dataResponse(data: object, told: Told = {}): Outcome<Response> {
  return success(Response.json({ data }, told));
}

/** One record whose version alone says whether its reader has it already; an empty version says nothing. */
export function versionedResponse(request: Request, data: object, versionId: string): Outcome<Response> {
  const known = hasVersion(request.headers.get("If-None-Match"), versionId);
  if (!known.ok) return known;
  const headers = tagOf(versionId);
  return known.value && versionId !== ""
    ? success(new Response(null, { status: 304, headers }))
    : dataResponse(data, { headers });
}

/** One page: `data` and `pagination`. */
export async function pageResponse(
  exchange: CallerExchange,
  page: Outcome<Page<object>>,
): Promise<Outcome<Response>> {
  if (!page.ok) return page;
  const pagination = await paginationOf(exchange, page.value);
  return success(Response.json({ data: page.value.data, pagination }));
}

/** The kinds of record that this half tells of, as people read them. */
export type Kind = "Registrant" | "Program" | "Entitlement" | "Change request";

/**
 * Answers a missing record as this half does: the type `{errors_url}/not-found`, the title names the kind (specification,
 * "Errors").
 */
export function about(kind: Kind, answer: RegistryStyleFunction): RegistryStyleFunction {
  return async (exchange) => {
    const outcome = await answer(exchange);
    if (outcome.ok || outcome.problem.kind !== "not-found") return outcome;
    const { service, path, errorsUrl } = exchange;
    const usual = problemDetails(outcome.problem, { namespace: service.namespace, instance: path });
    const details = { ...usual, type: `${errorsUrl}/not-found`, title: `${kind} not found` };
    const headers = { "Content-Type": "application/problem+json" };
    return success(new Response(JSON.stringify(details), { status: usual.status, headers }));
  };
}
