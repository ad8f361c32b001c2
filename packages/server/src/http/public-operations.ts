import { allScopes, failure, type Outcome, shippedChangeRequestTypes, success } from "@fieldroll/core";
import { authorizationServerMetadata, keySetResponse } from "../oauth/authorization-server.ts";
import { grantToken } from "../oauth/token-endpoint.ts";
import type { DocumentContext } from "../openapi/context.ts";
import { errorIndex as indexOfProblems, errorPage as pageOfProblem } from "../openapi/error-page.ts";
import type { Page } from "../openapi/page.ts";
import type { Publication } from "../openapi/publications.ts";
import type { Exchange } from "./exchange.ts";
import { capabilityStatement } from "./metadata.ts";
import { hasVersion } from "./preconditions.ts";
import { apiRoot } from "./route-table.ts";

/** GET `/metadata`. */
export async function metadata(exchange: Exchange): Promise<Outcome<Response>> {
  return success(Response.json(capabilityStatement(exchange), { headers: { "Cache-Control": "no-cache" } }));
}

/** GET `/healthz`: the process runs. */
export async function health(): Promise<Outcome<Response>> {
  return success(Response.json({ status: "ok" }));
}

/** GET `/readyz`: what was to be loaded is there, the storage answers, and nothing in it was seen to be damaged. */
export async function readiness({ service }: Exchange): Promise<Outcome<Response>> {
  const answers = await service.registry.epoch().then(
    () => true,
    (error: unknown) => {
      service.storage.observe(error);
      return false;
    },
  );
  if (service.storage.isDamaged()) {
    return failure({ kind: "unavailable", detail: "The registry's database is damaged. Restore a backup." });
  }
  if (!answers) return failure({ kind: "unavailable", detail: "The registry's storage does not answer." });
  if (service.isLoading()) {
    const detail =
      "Records are still being loaded: what is read now is not all there will be. Try again in a moment.";
    return failure({ kind: "unavailable", detail });
  }
  return success(Response.json({ status: "ready" }));
}

/** POST `/oauth2/token`. */
export async function token(exchange: Exchange): Promise<Outcome<Response>> {
  const { service, request, peer } = exchange;
  return success(await grantToken(service.issuer, request, { origin: originOf(exchange), peer }));
}

/** GET `/openapi.json`. */
export async function openapi(exchange: Exchange): Promise<Outcome<Response>> {
  return published(exchange, await exchange.service.publications.document(contextOf(exchange)));
}

/** GET `/docs`. */
export async function docs(exchange: Exchange): Promise<Outcome<Response>> {
  return published(exchange, await exchange.service.publications.page(contextOf(exchange)));
}

/** GET `/errors/<kind>`: what `{errors_url}/…` in a problem leads to. */
export async function errorPage({ service, param }: Exchange): Promise<Outcome<Response>> {
  const page = await pageOfProblem(param, service.namespace);
  const detail = "There is no such type of problem. GET /errors lists those that there are.";
  return page ? success(pageResponse(page)) : failure({ kind: "not-found", detail });
}

/** GET `/errors`: every type of problem. */
export async function errorIndex({ service }: Exchange): Promise<Outcome<Response>> {
  return success(pageResponse(await indexOfProblems(service.namespace)));
}

function pageResponse({ html, policy }: Page): Response {
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy,
    "Cache-Control": "public, max-age=3600",
  };
  return new Response(html, { headers });
}

/** GET `/metrics`; a handler without figures has nothing here. */
export async function metrics({ service }: Exchange): Promise<Outcome<Response>> {
  if (!service.metrics) return failure({ kind: "not-found", detail: "This server gathers no figures." });
  const { contentType } = service.metrics;
  return success(new Response(await service.metrics.metrics(), { headers: { "Content-Type": contentType } }));
}

/** GET `/oauth2/jwks`. */
export async function signingKeys({ service }: Exchange): Promise<Outcome<Response>> {
  return success(await keySetResponse(service.issuer));
}

/** GET `/.well-known/oauth-authorization-server`. */
export async function authorizationServer(exchange: Exchange): Promise<Outcome<Response>> {
  const authUrl = originOf(exchange);
  const metadata = authorizationServerMetadata({ authUrl, scopes: allScopes });
  const more = { service_documentation: `${authUrl}/docs` };
  return success(
    Response.json({ ...metadata, ...more }, { headers: { "Cache-Control": "public, max-age=300" } }),
  );
}

function contextOf(exchange: Exchange): DocumentContext {
  const { service, baseUrl, errorsUrl } = exchange;
  const { routes, namespace, appVersion, registry } = service;
  const { extensions, changeRequestTypes = shippedChangeRequestTypes } = registry.facts;
  const { exampleClient } = service;
  return {
    ...{ changeRequestTypes, routes, namespace, extensions, appVersion, baseUrl, errorsUrl },
    ...(exampleClient === undefined ? {} : { exampleClient }),
  };
}

function originOf({ baseUrl }: Exchange): string {
  return baseUrl.slice(0, -apiRoot.length);
}

/** A copy may be kept, and is asked about each time. */
function published({ request }: Exchange, publication: Publication): Outcome<Response> {
  const { text, mediaType, etag, policy } = publication;
  const headers = {
    ETag: etag,
    "Cache-Control": "no-cache",
    ...(policy === undefined ? {} : { "Content-Security-Policy": policy }),
  };
  const known = hasVersion(request.headers.get("If-None-Match"), etag.slice(1, -1));
  if (!known.ok) return known;
  if (known.value) return success(new Response(null, { status: 304, headers }));
  return success(new Response(text, { headers: { ...headers, "Content-Type": mediaType } }));
}
