import type { Problem } from "@fieldroll/core";
import { migrationAnchor } from "../v1/migration-guide.ts";
import { decoded, originOf, rawPath, routingPath } from "./address.ts";
import { type Answer, emptyAnswer } from "./answer.ts";
import type { Exchange, Service } from "./exchange.ts";
import { answerFormer, type FormerExchange, formerRoot, isFormerPath } from "./former-version.ts";
import { allowedAt, type Matcher, type Place, routeFor } from "./match-route.ts";
import { operationHint } from "./operation-hint.ts";
import { perform } from "./perform.ts";
import { problemAnswer } from "./problem-details.ts";
import { apiRoot, type Route } from "./route-table.ts";

/** TRACE shows a proxy's headers to the caller (RFC 9110 section 9.3.8), so it is done at no path, whatever is there. */
const nowhere = { allow: "", detail: "TRACE is possible nowhere." };

/** Finds the route of a request and runs it; or says what is possible at its path. */
export async function dispatch(service: Service, match: Matcher, request: Arrived): Promise<Answer> {
  const { raw, tell } = request;
  const path = routingPath(raw.url);
  if (isFormerPath(path)) {
    tell(`${raw.method} ${formerRoot}`);
    return answerFormer(formerExchangeOf(service, request));
  }
  const place = match(path);
  if (!place && raw.method === "TRACE") return notAllowed(service, raw, nowhere);
  if (!place) {
    const hint = operationHint(service.routes, path) || " GET /metadata lists what there is.";
    return refuse(service, raw, { kind: "not-found", detail: `There is nothing at this path.${hint}` });
  }
  const route = routeFor(place, raw.method);
  if (route) {
    tell(`${route.method} ${place.pattern.path}`);
    return perform(exchangeOf(service, request, { route, place }));
  }
  tell(`other ${place.pattern.path}`);
  const allow = allowedAt(place);
  if (raw.method === "OPTIONS") return emptyAnswer(204, { Allow: allow });
  const hint =
    operationHint(service.routes, path) || (raw.method === "DELETE" ? insteadOfDeleting(place) : "");
  const detail = `${raw.method} is not possible here. Possible are ${allow}.${hint}`;
  return notAllowed(service, raw, { allow, detail });
}

function notAllowed(
  service: Service,
  raw: Request,
  { allow, detail }: { readonly allow: string; readonly detail: string },
): Answer {
  return refuse(service, raw, { kind: "method-not-allowed", detail }, { Allow: allow });
}

/** Whoever would delete a record means that nobody is to go on with it. */
function insteadOfDeleting({ pattern }: Place): string {
  const type = /\/(\w+)\/\{address\}$/.exec(pattern.path)?.[1];
  if (type === "Individual" || type === "Group")
    return " Records are archived by PATCH with active false, not deleted.";
  return type === "ProgramMembership"
    ? " An enrollment ends by PUT with the status exited; it is not deleted."
    : "";
}

/** A request as it came in. */
export interface Arrived {
  readonly raw: Request;
  readonly peer: string | undefined;
  readonly requestId: string;
  /** Reports which route it takes. */
  readonly tell: (route: string) => void;
}

function exchangeOf(
  service: Service,
  { raw: request, peer, requestId }: Arrived,
  { route, place }: { readonly route: Route; readonly place: Place },
): Exchange {
  const param = place.pattern.place === "segment" ? (decoded(place.param) ?? place.param) : place.param;
  const origin = service.publicUrl ?? originOf(request.url);
  let url: URL | undefined;
  return {
    service,
    route,
    request,
    get url() {
      url ??= new URL(request.url);
      return url;
    },
    path: rawPath(request.url),
    param,
    baseUrl: `${origin}${apiRoot}`,
    errorsUrl: service.errorsUrl ?? `${origin}/errors`,
    get peer() {
      return service.callerAddress(peer, request.headers);
    },
    requestId,
  };
}

function formerExchangeOf(service: Service, { raw: request, peer, requestId }: Arrived): FormerExchange {
  const origin = service.publicUrl ?? originOf(request.url);
  const migrationUrl = service.migrationUrl ?? `${origin}/docs#${migrationAnchor}`;
  const from = service.callerAddress(peer, request.headers);
  return { service, request, path: rawPath(request.url), peer: from, requestId, migrationUrl };
}

/** Refuses a request that has no route, or on which something failed. */
export function refuse(
  { namespace }: Service,
  request: Request,
  problem: Problem,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const instance = rawPath(request.url);
  return problemAnswer(problem, { namespace, instance, ...(headers ? { headers } : {}) });
}
