import type { ExtensionDeclaration, Registry } from "@fieldroll/core";
import { Hono } from "hono";
import type { Issuer } from "../oauth/issuer.ts";
import { rawPath, routingPath } from "./address.ts";
import { type CrossOrigin, crossOrigin } from "./cross-origin.ts";
import type { Exchange, Service } from "./exchange.ts";
import { perform } from "./perform.ts";
import { problemOf, problemResponse } from "./problem-details.ts";
import { apiRoot, pathsOf, type Route, routeTable } from "./route-table.ts";
import { withStandardHeaders } from "./standard-headers.ts";
import { createStorageHealth } from "./storage-health.ts";

/** What a handler is made of. */
export interface HandlerOptions {
  readonly registry: Registry;
  /** Who may call: see `createIssuer`. */
  readonly issuer: Issuer;
  /** Version of the deployed program, told by `/metadata`. */
  readonly appVersion?: string;
  /** Replaces `service` in `urn:service:…`; the same as the registry's. */
  readonly namespace?: string;
  /** The same as the registry's: without programs, Program and ProgramMembership are not found. */
  readonly capabilities?: { readonly programs?: boolean };
  /** Told by `/metadata`; the same as the registry's. */
  readonly extensions?: readonly ExtensionDeclaration[];
  /** Origin under which callers reach the server, where a proxy changes it. Default: that of each request. */
  readonly publicUrl?: string;
  /** Which other origins' pages may call. Default: none. */
  readonly cors?: CrossOrigin;
  /** Default: the system's clock. */
  readonly clock?: () => Date;
  /** Makes the id of a request that brought none. Default: a random UUID. */
  readonly newRequestId?: () => string;
  /** Called after each answer, for logs and figures. Holds no personal data: the template, never the path. */
  readonly onAnswer?: (entry: AnswerEntry) => void;
  /** Called with what was thrown where nothing is expected to be; the caller gets a bare `internal`. */
  readonly onFailure?: (
    error: unknown,
    entry: { readonly requestId: string; readonly route: string },
  ) => void;
}

/** What is known of an answered request. */
export interface AnswerEntry {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, or `unmatched`. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** Answers one request. `peer.address` is the caller's network address, where the listener knows it. */
export type Handler = (request: Request, peer?: { readonly address?: string }) => Promise<Response>;

interface Env {
  Bindings: { readonly address?: string };
  Variables: { route: string; requestId: string };
}

/**
 * Makes the whole HTTP interface as a function from Request to Response: specification, "Endpoints".
 *
 * @example
 * const handle = createHandler({ registry, issuer });
 * const answer = await handle(new Request("http://localhost/api/v2/metadata"));
 */
export function createHandler(options: HandlerOptions): Handler {
  const service = serviceOf(options);
  const app = new Hono<Env>({ getPath: (request) => routingPath(request.url) });
  app.use(withStandardHeaders(service, options.onAnswer));
  if (options.cors) app.use(crossOrigin(options.cors));
  for (const [path, routes] of byPath(service.routes)) mount(app, service, { path, routes });
  app.notFound((context) => {
    const detail = "There is nothing at this path. GET /metadata lists what there is.";
    return refuse(service, context.req.raw, { kind: "not-found", detail });
  });
  app.onError((error, context) => {
    service.storage.observe(error);
    const problem = problemOf(error);
    if (problem.kind === "internal" || problem.kind === "unavailable") {
      options.onFailure?.(error, { requestId: context.get("requestId"), route: context.get("route") });
    }
    return refuse(service, context.req.raw, problem);
  });
  return async (request, peer = {}) => app.fetch(request, peer);
}

function serviceOf(options: HandlerOptions): Service {
  const programs = options.capabilities?.programs ?? true;
  return {
    registry: options.registry,
    issuer: options.issuer,
    storage: createStorageHealth(),
    namespace: options.namespace ?? "service",
    appVersion: options.appVersion ?? "0.0.0",
    programs,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl.replace(/\/+$/, "") }),
    routes: routeTable({ programs }),
    extensions: options.extensions ?? [],
    clock: options.clock ?? (() => new Date()),
    newRequestId: options.newRequestId ?? (() => crypto.randomUUID()),
  };
}

interface Mount {
  /** As in the route table, with `{address}`. */
  readonly path: string;
  readonly routes: readonly Route[];
}

/** Exact paths come first: in Hono a wildcard also matches the path before it. */
function byPath(routes: readonly Route[]): readonly [string, readonly Route[]][] {
  const paths = [...new Set(routes.flatMap(pathsOf))].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)));
  return paths.map((path) => [path, routes.filter((route) => pathsOf(route).includes(path))]);
}

function isOpen(path: string): boolean {
  return path.endsWith("/{address}");
}

function mount(app: Hono<Env>, service: Service, { path, routes }: Mount): void {
  const stem = path.replace("/{address}", "");
  const pattern = isOpen(path) ? `${stem}/*` : path;
  for (const route of routes) {
    app.on(route.method, pattern, (context) => {
      context.set("route", `${route.method} ${path}`);
      return perform(exchangeOf(service, context.req.raw, { route, stem, peer: context.env.address }));
    });
  }
  const methods = routes.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  app.all(pattern, ({ req, set }) => {
    set("route", `other ${path}`);
    if (req.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
    const detail = `${req.method} is not possible here. Possible are ${allow}.`;
    return refuse(service, req.raw, { kind: "method-not-allowed", detail }, { Allow: allow });
  });
}

function exchangeOf(
  service: Service,
  request: Request,
  { route, stem, peer }: { readonly route: Route; readonly stem: string; readonly peer: string | undefined },
): Exchange {
  const url = new URL(request.url);
  const path = rawPath(request.url);
  const rest = path.slice(stem.length + 1);
  const baseUrl = `${service.publicUrl ?? url.origin}${apiRoot}`;
  return { service, route, request, url, path, rest, baseUrl, peer };
}

function refuse(
  { namespace }: Service,
  request: Request,
  problem: Parameters<typeof problemResponse>[0],
  headers?: Readonly<Record<string, string>>,
): Response {
  const instance = rawPath(request.url);
  return problemResponse(problem, { namespace, instance, ...(headers ? { headers } : {}) });
}
