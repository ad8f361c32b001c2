import type { Caller, Outcome, Problem } from "@fieldroll/core";
import { bearerToken, challenge } from "../oauth/bearer.ts";
import type { CallerExchange, Exchange } from "./exchange.ts";
import { changes } from "./feed-operation.ts";
import { problemResponse } from "./problem-details.ts";
import { health, metadata, readiness, token } from "./public-operations.ts";
import { create, patch, read, replace, search } from "./resource-operations.ts";
import type { OperationName } from "./route-table.ts";

type Public = (exchange: Exchange) => Promise<Outcome<Response>>;
type Protected = (exchange: CallerExchange) => Promise<Outcome<Response>>;

const publicOperations: Partial<Record<OperationName, Public>> = { metadata, health, readiness, token };
const protectedOperations: Partial<Record<OperationName, Protected>> = {
  read,
  search,
  create,
  replace,
  patch,
  changes,
};

/** Runs the operation of a matched route: caller first, then scope, then the operation itself. */
export async function perform(exchange: Exchange): Promise<Response> {
  const { service, route, path } = exchange;
  const context = { namespace: service.namespace, instance: path };
  const operation = publicOperations[route.operation];
  if (operation) return settle(await operation(exchange), context);
  const known = await withCaller(exchange);
  if (!known.ok) return problemResponse(known.problem, { ...context, headers: known.headers });
  const run = protectedOperations[route.operation];
  if (!run) throw new Error(`no operation ${route.operation}`);
  return settle(await run(known.exchange), context);
}

type Admission =
  | { readonly ok: true; readonly exchange: CallerExchange }
  | { readonly ok: false; readonly problem: Problem; readonly headers: Record<string, string> };

async function withCaller(exchange: Exchange): Promise<Admission> {
  const { service, route, request } = exchange;
  const token = bearerToken(request.headers.get("Authorization"));
  const caller = token === undefined ? undefined : await service.issuer.identify(token);
  if (!caller) {
    const detail =
      token === undefined
        ? "The request carries no access token. Get one at /oauth2/token and send it as Authorization: Bearer."
        : "The access token is not valid here, or it has expired. Get a new one at /oauth2/token.";
    const problem = { kind: "authentication", detail } as const;
    return { ok: false, problem, headers: { "WWW-Authenticate": challenge(token) } };
  }
  const lack = missingScope(caller, route.scope);
  if (lack) return { ok: false, problem: lack, headers: {} };
  return { ok: true, exchange: { ...exchange, caller, view: service.registry.as(caller) } };
}

/** Contract section 7: a missing scope is told before anything else of the request is looked at. */
function missingScope({ scopes }: Caller, scope: string | undefined): Problem | undefined {
  if (scope === undefined || scopes.includes(scope)) return undefined;
  const detail = `This needs the scope ${scope}, which the access token does not have. Ask for a token with it.`;
  return { kind: "authorization", detail, missingScope: scope };
}

function settle(outcome: Outcome<Response>, context: { namespace: string; instance: string }): Response {
  return outcome.ok ? outcome.value : problemResponse(outcome.problem, context);
}
