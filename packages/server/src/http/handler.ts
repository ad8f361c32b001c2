import {
  type BudgetLimits,
  checkedClock,
  hasMethods,
  isFunction,
  type OptionRule,
  optional,
  type Registry,
  refuseWrongOptions,
} from "@fieldroll/core";
import type { Issuer } from "../oauth/issuer.ts";
import { createPublications } from "../openapi/publications.ts";
import {
  address,
  budget,
  callback,
  clock as clockRule,
  cors,
  networks,
  rateLimit,
  text,
} from "../option-rules.ts";
import type { Answer } from "./answer.ts";
import { createBudgets } from "./budgets.ts";
import { createCallerAddress } from "./caller-address.ts";
import type { OpenCipher } from "./cipher.ts";
import { type Compress, createEncoder } from "./content-coding.ts";
import { type CrossOrigin, crossOrigin } from "./cross-origin.ts";
import { createCursorSeal } from "./cursor-seal.ts";
import { describeFailure } from "./describe-failure.ts";
import { type Arrived, dispatch, refuse } from "./dispatch.ts";
import type { MetricsSource, Service } from "./exchange.ts";
import type { FormerVersion, FormerVersionMode } from "./former-version.ts";
import { createMatcher } from "./match-route.ts";
import { problemOf } from "./problem-details.ts";
import { createRateLimits, type RateLimit, usualRateLimit } from "./rate-limit.ts";
import { routeTable } from "./route-table.ts";
import { softwareVersion } from "./software-version.ts";
import { printed, requestIdOf, standardHeaders, transportHeaders } from "./standard-headers.ts";
import { createStorageHealth } from "./storage-health.ts";
import { webCipher } from "./web-cipher.ts";

/** What a handler is made of. */
export interface HandlerOptions {
  readonly registry: Registry;
  /** Who may call: see `createIssuer`. */
  readonly issuer: Issuer;
  /** Version of the deployed program, told by `/metadata`. Default: that of this package. */
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
  /** A client that `/docs` shows to everybody with its secret: for demonstrations only. Default: none. */
  readonly exampleClient?: { readonly id: string; readonly secret: string };
  /** What `/metrics` tells. Without it that is not found. */
  readonly metrics?: MetricsSource;
  /** Which other origins' pages may call. Default: none. */
  readonly cors?: CrossOrigin;
  /**
   * Addresses and networks of proxies, such as `10.0.0.0/8`, whose headers `Forwarded` and `X-Forwarded-For` say where a request
   * comes from. Failed sign-ins count by that address. Default: none, so that all callers behind a proxy are one address.
   */
  readonly trustedProxies?: readonly string[];
  /** Called once, at the first `Forwarded` or `X-Forwarded-For` that is not read because no trusted proxy sent it. */
  readonly onUntrustedProxy?: () => void;
  /** What each client may send. Default: 100 requests a second, 1,000 at once. */
  readonly rateLimit?: RateLimit | "off";
  /**
   * Encrypts cursors. Default: by WebCrypto, which Node runs on the threads that also hash secrets; give `nodeCipher` of
   * `@fieldroll/server/node` there. Either opens what the other sealed.
   */
  readonly cipher?: OpenCipher;
  /** Compresses bodies of 1 kB to 2 MiB for callers that accept it, eight at once: `nodeCompress` of `@fieldroll/server/node`. Default: nothing does. */
  readonly compress?: Compress;
  /** Whether records are still being loaded, which `/readyz` tells; everything else answers meanwhile. Default: never. */
  readonly isLoading?: () => boolean;
  /**
   * What one request may cost to read; a list that costs more ends early, and its cursor goes on. Default: 10,000 records looked at, 8 MiB
   * of records answered, 500 milliseconds of work.
   */
  readonly budget?: Partial<BudgetLimits>;
  /** Default: the system's clock. */
  readonly clock?: () => Date;
  /** Makes the id of a request that brought none. Default: a random UUID. */
  readonly newRequestId?: () => string;
  /** Called after each answer, for logs and figures. Holds no personal data: the template, never the path. */
  readonly onAnswer?: (entry: AnswerEntry) => void;
  /** Called with what was thrown where nothing is expected to be; the caller gets a bare `internal`. Default: what it was and where is written to the console, but not its message, which may quote a record. */
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

/**
 * Makes the whole HTTP interface as a function from Request to Response: specification, "Endpoints".
 *
 * @throws TypeError where an option is missing or of another kind, such as a view for `registry`, and when `v1` is `warn` and there
 *   is no `formerVersion`
 *
 * @example
 * const handle = createHandler({ registry, issuer });
 * const answer = await handle(new Request("http://localhost/api/v2/metadata"));
 */
export function createHandler(options: HandlerOptions): Handler {
  const service = serviceOf(options);
  const { clock, newRequestId, publicUrl } = service;
  const transport = transportHeaders(publicUrl);
  const answer = answering(service, options);
  const encoded = options.compress && createEncoder(options.compress);
  return async (raw, { address: peer } = {}) => {
    const start = clock();
    const requestId = requestIdOf(raw) ?? newRequestId();
    let route = "unmatched";
    const tell = (taken: string) => {
      route = taken;
    };
    const plain = await answer({ raw, peer, requestId, tell }, () => route);
    const answered = encoded ? await encoded(raw, plain) : plain;
    const milliseconds = clock().getTime() - start.getTime();
    const { status } = answered;
    options.onAnswer?.({ requestId, method: raw.method, route, status, milliseconds });
    return printed(answered, standardHeaders(start, requestId, transport), raw.method);
  };
}

/** Nobody else would hear of it. */
const toConsole: HandlerOptions["onFailure"] & object = (error, { requestId, route }) =>
  // biome-ignore lint/suspicious/noConsole: an embedder who names no place for it has to see it all the same.
  console.error(`Request ${requestId} (${route}) failed:`, describeFailure(error));

/** Answers whatever comes, errors included. */
function answering(
  service: Service,
  { cors, onFailure = toConsole }: Pick<HandlerOptions, "cors" | "onFailure">,
) {
  const match = createMatcher(service.routes);
  const guarded = async (request: Arrived, route: () => string): Promise<Answer> => {
    try {
      return await dispatch(service, match, request);
    } catch (error) {
      service.storage.observe(error);
      const problem = problemOf(error);
      if (problem.kind === "internal" || problem.kind === "unavailable") {
        onFailure(error, { requestId: request.requestId, route: route() });
      }
      return refuse(service, request.raw, problem);
    }
  };
  if (!cors) return guarded;
  const { preflight, shared } = crossOrigin(cors);
  return async (request: Arrived, route: () => string) =>
    shared(request.raw, preflight(request.raw) ?? (await guarded(request, route)));
}

const modes: readonly unknown[] = ["gone", "warn", "off"] satisfies readonly FormerVersionMode[];

const rules: Readonly<Record<string, OptionRule>> = {
  registry: [
    (given) => hasMethods(given, "as", "epoch", "secret"),
    "a registry, as createRegistry makes it, and not the view that its as() gives",
  ],
  issuer: [
    (given) => hasMethods(given, "grant", "identify", "publicKeys"),
    "an issuer, as createIssuer makes it",
  ],
  appVersion: text,
  publicUrl: address,
  errorsUrl: text,
  migrationUrl: text,
  v1: optional([(given) => modes.includes(given), '"gone", "warn" or "off"']),
  formerVersion: optional([isFunction, "what answers version 1, such as createV1(store)"]),
  metrics: optional([
    (given) => hasMethods(given, "metrics"),
    "a source of figures, such as createMetrics()",
  ]),
  cors,
  trustedProxies: networks,
  rateLimit,
  cipher: callback,
  compress: callback,
  isLoading: callback,
  budget,
  clock: clockRule,
  newRequestId: callback,
  onAnswer: callback,
  onFailure: callback,
  onUntrustedProxy: callback,
};

function serviceOf(options: HandlerOptions): Service {
  refuseWrongOptions("createHandler", options, rules);
  const { registry, publicUrl, errorsUrl, migrationUrl, metrics } = options;
  const { namespace, programs } = registry.facts;
  const clock = checkedClock("createHandler", options.clock ?? (() => new Date()));
  refuseUnanswered(options);
  return {
    registry,
    issuer: options.issuer,
    storage: createStorageHealth(),
    isLoading: options.isLoading ?? (() => false),
    budgetOf: createBudgets(options.budget),
    cursors: createCursorSeal(registry, options.cipher ?? webCipher),
    publications: createPublications(),
    namespace,
    appVersion: options.appVersion ?? softwareVersion,
    ...(publicUrl === undefined ? {} : { publicUrl: withoutSlash(publicUrl) }),
    ...(errorsUrl === undefined ? {} : { errorsUrl: withoutSlash(errorsUrl) }),
    ...(migrationUrl === undefined ? {} : { migrationUrl }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(options.exampleClient === undefined ? {} : { exampleClient: options.exampleClient }),
    v1: options.v1 ?? "gone",
    ...(options.formerVersion === undefined ? {} : { formerVersion: options.formerVersion }),
    routes: routeTable({ programs }),
    callerAddress: createCallerAddress(options.trustedProxies ?? [], options.onUntrustedProxy),
    quotaOf: createRateLimits(options.rateLimit ?? usualRateLimit, clock),
    clock,
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
