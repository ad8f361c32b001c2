import {
  type Budget,
  type Caller,
  type FieldError,
  failure,
  type Outcome,
  type Problem,
  type Registry,
  type RegistryView,
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

/** Refuses query parameters that an operation does not have: contract section 4. */
export function unknownParameter(url: URL, known: readonly string[]): Problem | undefined {
  const errors: FieldError[] = [...new Set(url.searchParams.keys())]
    .filter((name) => !known.includes(name))
    .map((field) => ({ field, code: "unknown_parameter", message: "is not a parameter of this operation" }));
  const [first] = errors;
  if (!first) return undefined;
  return { kind: "bad-request", detail: `${first.field}: ${first.message}. Leave it out.`, errors };
}

/** A `bad-request` about one parameter. */
export function badParameter(field: string, message: string): Outcome<never> {
  const errors = [{ field, code: "invalid_parameter", message }];
  return failure({ kind: "bad-request", detail: `${field}: ${message}.`, errors });
}
