import { type ResourceType, refuseWrongOptions } from "@fieldroll/core";
import { patternOf, placed } from "./path-pattern.ts";
import { publicRoutes } from "./routes/public-routes.ts";
import { registryStyleRoutes } from "./routes/registry-style-routes.ts";
import { recordRoutes, sharedRoutes } from "./routes/resource-routes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a route does; each has one function that `perform.ts` calls. */
export type OperationName = ResourceOperation | RegistryStyleOperation | PublicOperation;

export type ResourceOperation =
  | "read"
  | "search"
  | "create"
  | "replace"
  | "patch"
  | "history"
  | "addMember"
  | "removeMember"
  | "mergeGroups"
  | "splitGroup"
  | "readConsent"
  | "revokeConsent"
  | "deleteConsent"
  | "batch"
  | "changes";

export type RegistryStyleOperation =
  | "listRegistrants"
  | "readRegistrant"
  | "createRegistrant"
  | "replaceRegistrant"
  | "listPrograms"
  | "readProgram"
  | "enroll"
  | "listCycles"
  | "listEntitlements"
  | "readEntitlement"
  | "approveEntitlement"
  | "listChangeRequests"
  | "submitChangeRequest"
  | "readChangeRequest"
  | "replaceChangeRequest"
  | "submitDraft"
  | "reviseChangeRequest"
  | "approveChangeRequest"
  | "rejectChangeRequest"
  | "applyChangeRequest";

export type PublicOperation =
  | "metadata"
  | "openapi"
  | "docs"
  | "errorIndex"
  | "errorPage"
  | "health"
  | "readiness"
  | "metrics"
  | "token"
  | "signingKeys"
  | "authorizationServer";

/** One operation at one path. The handler, `/metadata` and every description of the API are made from these. */
export interface Route {
  readonly method: Method;
  /**
   * From the API's root, or from the server's root, with at most one place to fill: `{address}` stands for any number of
   * segments, `{id}` and `{ext_id}` for one.
   */
  readonly template: string;
  /** `api` below /api/v2, `root` at the server's root, `both` at either. */
  readonly at: "api" | "root" | "both";
  readonly operation: OperationName;
  readonly resource?: ResourceType;
  /** The scope that opens it; without one it is public. */
  readonly scope?: string;
  /** Needs a caller, but no scope of its own. */
  readonly authenticated?: boolean;
  readonly summary: string;
}

/** Where the API begins: specification, "Versioning". */
export const apiRoot = "/api/v2";

/** Every route of a deployment: specification, "Endpoints", and contract sections 5 and 6. */
export function routeTable(capabilities: { readonly programs: boolean }): readonly Route[] {
  refuseWrongOptions("routeTable", capabilities, {
    programs: [(given) => typeof given === "boolean", "true or false: whether there are programs"],
  });
  return [
    ...recordRoutes(capabilities),
    ...sharedRoutes,
    ...registryStyleRoutes(capabilities),
    ...publicRoutes,
  ];
}

/** The paths at which a route is served. */
export function pathsOf(route: Route): readonly string[] {
  const below = `${apiRoot}${route.template}`;
  if (route.at === "api") return [below];
  return route.at === "root" ? [route.template] : [below, route.template];
}

/** Whether the handler, and not a field app beside it, answers at a path. */
export function isServicePath(routes: readonly Route[], path: string): boolean {
  if (path.startsWith("/api/") || path.startsWith("/oauth2/")) return true;
  return routes.flatMap(pathsOf).some((own) => placed(patternOf(own), path) !== undefined);
}
