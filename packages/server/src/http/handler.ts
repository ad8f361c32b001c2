import type { Registry } from "@fieldroll/core";
import { Hono } from "hono";
import type { Issuer } from "../oauth/issuer.ts";
import { createPublications } from "../openapi/publications.ts";
import { type CrossOrigin, crossOrigin } from "./cross-origin.ts";
import { createCursorSeal } from "./cursor-seal.ts";
import { dispatch, refuse } from "./dispatch.ts";
import type { MetricsSource, Service } from "./exchange.ts";
import type { FormerVersion, FormerVersionMode } from "./former-version.ts";
import { createMatcher } from "./match-route.ts";
import { problemOf } from "./problem-details.ts";
import { routeTable } from "./route-table.ts";
import { withStandardHeaders } from "./standard-headers.ts";
import { createStorageHealth } from "./storage-health.ts";

/** What a handler is made of. */
export interface HandlerOptions {
  readonly registry: Registry;
  /** Who may call: see `createIssuer`. */
  readonly issuer: Issuer;
  /** Version of the deployed program, told by `/metadata`. */
  readonly appVersion?: string;
  /** Origin under which callers reach the server, where a proxy changes it. Default: that of each request. */
  readonly publicUrl?: string;
  /** Where problems of the registry-style half are explained. Default: `/errors` of this server. */
  readonly errorsUrl?: string;
  /** Guide from version 1 to version 2. Default: the section about it in `/docs` of this server. */
  readonly migrationUrl?: string;
  /** Whether version 1 still answers: contract section 9. Default: `gone`. */
  readonly v1?: FormerVersionMode;
  /** What answers under `v1: "warn"`, which needs it: `createV1(store)`. */
  readonly formerVersion?: FormerVersion;
  /** What `/metrics` tells. Without it that is not found. */
  readonly metrics?: MetricsSource;
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
 * Makes the whole HTTP interface as a function from Request to Response: specification, "Endpoints". Throws `TypeError` when
 * `v1` is `warn` and there is no `formerVersion`.
 *
 * @example
 * const handle = createHandler({ registry, issuer });
 * const answer = await handle(new Request("http://localhost/api/v2/metadata"));
 */
export function createHandler(options: HandlerOptions): Handler {
  const service = serviceOf(options);
  const match = createMatcher(service.routes);
  const app = new Hono<Env>({ getPath: () => "/" });
  app.use(withStandardHeaders(service, options.onAnswer));
  if (options.cors) app.use(crossOrigin(options.cors));
  app.all("*", (context) => {
    const requestId = context.get("requestId");
    const tell = (route: string) => context.set("route", route);
    return dispatch(service, match, { raw: context.req.raw, peer: context.env.address, requestId, tell });
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
  const { registry, publicUrl, errorsUrl, migrationUrl, metrics } = options;
  const { namespace, programs } = registry.facts;
  refuseUnanswered(options);
  return {
    registry,
    issuer: options.issuer,
    storage: createStorageHealth(),
    cursors: createCursorSeal(registry),
    publications: createPublications(),
    namespace,
    appVersion: options.appVersion ?? "0.0.0",
    ...(publicUrl === undefined ? {} : { publicUrl: withoutSlash(publicUrl) }),
    ...(errorsUrl === undefined ? {} : { errorsUrl: withoutSlash(errorsUrl) }),
    ...(migrationUrl === undefined ? {} : { migrationUrl }),
    ...(metrics === undefined ? {} : { metrics }),
    v1: options.v1 ?? "gone",
    ...(options.formerVersion === undefined ? {} : { formerVersion: options.formerVersion }),
    routes: routeTable({ programs }),
    clock: options.clock ?? (() => new Date()),
    newRequestId: options.newRequestId ?? (() => crypto.randomUUID()),
  };
}

/** A server that says it answers version 1, and can't, would tell its clients that nothing is there. */
function refuseUnanswered({ v1, formerVersion }: HandlerOptions): void {
  if (v1 !== "warn" || formerVersion) return;
  throw new TypeError(
    'createHandler: v1 is "warn", but the option formerVersion, which answers version 1, is missing. Give formerVersion: createV1(store), or set v1 to "gone" or "off".',
  );
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
