import {
  type Budget,
  type Caller,
  type Outcome,
  type Problem,
  quoted,
  type Registry,
  type RegistryView,
  success,
  together,
} from "@fieldroll/core";
import type { Issuer } from "../oauth/issuer.ts";
import type { Publications } from "../openapi/publications.ts";
import type { CallerAddress } from "./caller-address.ts";
import type { CursorSeal } from "./cursor-seal.ts";
import type { FormerVersion, FormerVersionMode } from "./former-version.ts";
import type { Quota } from "./rate-limit.ts";
import type { Route } from "./route-table.ts";
import type { StorageHealth } from "./storage-health.ts";

/** Figures as a text, such as a registry of prom-client has them. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** What a deployment's handler works with, every choice made. */
export interface Service {
  readonly registry: Registry;
  readonly issuer: Issuer;
  readonly storage: StorageHealth;
  /** Whether what a deployment begins with is not all there yet. */
  readonly isLoading: () => boolean;
  /** What a request's reads may cost together. */
  readonly budgetOf: (request: Request) => Budget;
  readonly cursors: CursorSeal;
  readonly publications: Publications;
  /** As the registry has it. */
  readonly namespace: string;
  readonly appVersion: string;
  readonly publicUrl?: string;
  readonly routes: readonly Route[];
  readonly v1: FormerVersionMode;
  /** Answers under `warn`. */
  readonly formerVersion?: FormerVersion;
  readonly migrationUrl?: string;
  readonly metrics?: MetricsSource;
  readonly errorsUrl?: string;
  /** Shown on `/docs`. */
  readonly exampleClient?: { readonly id: string; readonly secret: string };
  readonly callerAddress: CallerAddress;
  /** What the client of this id may still send. */
  readonly quotaOf: (clientId: string) => Quota;
  readonly clock: () => Date;
  readonly newRequestId: () => string;
}

/** A request on its way through one route. */
export interface Exchange {
  readonly service: Service;
  readonly route: Route;
  readonly request: Request;
  readonly url: URL;
  /** Path of the request as sent: a problem's `instance`. */
  readonly path: string;
  /** What stands in the template's place: of `{address}` as sent, of `{id}` and `{ext_id}` decoded; empty without one. */
  readonly param: string;
  /** Root of the API as the caller reached it. */
  readonly baseUrl: string;
  /** What types of problem start with in the registry-style half, such as `https://registry.example.org/errors`. */
  readonly errorsUrl: string;
  /** Network address of the caller, where the listener knows it. */
  readonly peer: string | undefined;
  /** `X-Request-Id` of the answer. */
  readonly requestId: string;
}

/** A request whose caller is known and has the route's scope. */
export interface CallerExchange extends Exchange {
  readonly caller: Caller;
  readonly view: RegistryView;
  /** What its client may still send. */
  readonly quota: Quota;
  readonly budget: Budget;
}

/**
 * Refuses, all at once, the query parameters that an operation does not have, those given twice, and the `others` that are wrong:
 * contract section 4.
 */
export function checkParameters(
  url: URL,
  known: readonly string[],
  others: readonly (Problem | undefined)[] = [],
): Outcome<void> {
  const names = [...new Set(url.searchParams.keys())];
  const repeated = known.filter((name) => url.searchParams.getAll(name).length > 1);
  const refused = together([
    ...names.filter((name) => !known.includes(name)).map(unknownParameter),
    ...repeated.map((name) => badParameter(name, "is given more than once")),
    ...others,
  ]);
  return refused ?? success(undefined);
}

function unknownParameter(field: string): Problem {
  const message = "is not a parameter of this operation";
  const errors = [{ field, code: "unknown_parameter", message }];
  return { kind: "bad-request", detail: `${quoted(field)}: ${message}. Leave it out.`, errors };
}

/** A `bad-request` about one parameter. */
export function badParameter(field: string, message: string): Problem {
  const errors = [{ field, code: "invalid_parameter", message }];
  return { kind: "bad-request", detail: `${field}: ${message}.`, errors };
}
