import { type Caller, failure, type Outcome, type Problem } from "@fieldroll/core";
import { bearerToken, challenge } from "../oauth/bearer.ts";
import { type Answer, answerOf, withHeaders } from "./answer.ts";
import { batch } from "./batch-operation.ts";
import { withContext } from "./caller-context.ts";
import { deleteConsent, readConsent, revokeConsent } from "./consent-operations.ts";
import type { CallerExchange, Exchange } from "./exchange.ts";
import { changes } from "./feed-operation.ts";
import { addMember, mergeGroups, removeMember, splitGroup } from "./group-operations.ts";
import { withOperationHint } from "./operation-hint.ts";
import { faultOfAddress } from "./percent-encoding.ts";
import { problemAnswer } from "./problem-details.ts";
import {
  authorizationServer,
  docs,
  errorIndex,
  errorPage,
  health,
  metadata,
  metrics,
  openapi,
  readiness,
  signingKeys,
  token,
} from "./public-operations.ts";
import { costOfBytes, spentQuota } from "./rate-limit.ts";
import { registryStyleOperations } from "./registry-style/operations.ts";
import { create, history, patch, read, replace, search } from "./resource-operations.ts";
import type { OperationName } from "./route-table.ts";

/** What answers on a route that anybody may call. */
export type PublicFunction = (exchange: Exchange) => Promise<Outcome<Answer | Response>>;
/** What answers on a route that needs a caller. */
export type ProtectedFunction = (exchange: CallerExchange) => Promise<Outcome<Answer | Response>>;

const publicOperations: Partial<Record<OperationName, PublicFunction>> = {
  metadata,
  openapi,
  docs,
  errorIndex,
  errorPage,
  health,
  readiness,
  metrics,
  token,
  signingKeys,
  authorizationServer,
};
const protectedOperations: Partial<Record<OperationName, ProtectedFunction>> = {
  read,
  search,
  create,
  replace,
  patch,
  history,
  addMember,
  removeMember,
  mergeGroups,
  splitGroup,
  readConsent,
  revokeConsent,
  deleteConsent,
  batch,
  changes,
  ...registryStyleOperations,
};

/** Runs the operation of a matched route: caller first, then scope, then the operation itself. */
export async function perform(exchange: Exchange): Promise<Answer> {
  const { service, route, path } = exchange;
  const context = { namespace: service.namespace, instance: path };
  if (route.scope === undefined && !route.authenticated) {
    return settle(await attempt(exchange, publicOperations[route.operation]), context);
  }
  const known = await withCaller(exchange);
  if (!known.ok) return problemAnswer(known.problem, { ...context, headers: known.headers });
  const { quota, budget } = known.exchange;
  try {
    const outcome = await attempt(known.exchange, protectedOperations[route.operation]);
    const answer = await settle(withOperationHint(exchange, outcome), context);
    quota.charge(costOfBytes(answer.body?.length ?? 0));
    return withHeaders(answer, quota.headers());
  } finally {
    budget.close();
  }
}

/** Runs an operation, unless the address line can't be read. */
async function attempt<T extends Exchange>(
  exchange: T,
  operation: ((exchange: T) => Promise<Outcome<Answer | Response>>) | undefined,
): Promise<Outcome<Answer | Response>> {
  const fault = faultOfAddress(exchange.request.url, exchange.route.template);
  if (fault) return failure(fault);
  if (operation) return operation(exchange);
  return failure({ kind: "not-found", detail: "This server does not have this operation." });
}

type Admission =
  | { readonly ok: true; readonly exchange: CallerExchange }
  | { readonly ok: false; readonly problem: Problem; readonly headers: Readonly<Record<string, string>> };

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
  const quota = service.quotaOf(caller.clientId);
  const spent = spentQuota(quota);
  if (spent) return { ok: false, ...spent };
  const lack = missingScope(caller, route.scope);
  if (lack) return { ok: false, problem: lack, headers: quota.headers() };
  const stated = withContext(caller, exchange);
  if (!stated.ok) return { ...stated, headers: quota.headers() };
  const budget = service.budgetOf(request);
  const view = service.registry.as(stated.value, { budget });
  // The same object: a copy would parse the address, which most operations don't look at.
  return { ok: true, exchange: Object.assign(exchange, { caller: stated.value, view, quota, budget }) };
}

/** Contract section 7: a missing scope is told before anything else of the request is looked at. */
function missingScope({ scopes }: Caller, scope: string | undefined): Problem | undefined {
  if (scope === undefined || scopes.includes(scope)) return undefined;
  const detail = `This needs the scope ${scope}, which the access token does not have. Ask for a token with it, or, where the client may not have it, the operator of the register.`;
  return { kind: "authorization", detail, missingScope: scope };
}

async function settle(
  outcome: Outcome<Answer | Response>,
  context: { namespace: string; instance: string },
): Promise<Answer> {
  return outcome.ok ? answerOf(outcome.value) : problemAnswer(outcome.problem, context);
}
