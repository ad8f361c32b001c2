import type { ResourceType } from "@fieldroll/core";

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
  | "submitChangeRequest"
  | "readChangeRequest"
  | "approveChangeRequest"
  | "rejectChangeRequest"
  | "applyChangeRequest";

export type PublicOperation =
  | "metadata"
  | "openapi"
  | "docs"
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
   * From the API's root, or from the server's root. `{address}` stands for any number of segments, `{id}` and `{ext_id}`
   * for one.
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

function publicRoute(template: string, operation: PublicOperation, summary: string): Route {
  return { method: "GET", template, at: "both", operation, summary };
}

const publicRoutes: readonly Route[] = [
  publicRoute("/metadata", "metadata", "Capability statement"),
  publicRoute("/openapi.json", "openapi", "This interface as an OpenAPI 3.1 document"),
  publicRoute("/docs", "docs", "This interface as a page for people"),
  publicRoute("/errors/{id}", "errorPage", "What a type of problem means"),
  publicRoute("/healthz", "health", "Whether the process runs"),
  publicRoute("/readyz", "readiness", "Whether the storage answers"),
  publicRoute("/metrics", "metrics", "Figures for Prometheus"),
  { method: "POST", template: "/oauth2/token", at: "root", operation: "token", summary: "Access token" },
  { ...publicRoute("/oauth2/jwks", "signingKeys", "Public keys that verify access tokens"), at: "root" },
  {
    ...publicRoute("/.well-known/oauth-authorization-server", "authorizationServer", "Where tokens are had"),
    at: "root",
  },
];

function at(method: Method, template: string, rest: Omit<Route, "method" | "template" | "at">): Route {
  return { method, template, at: "api", ...rest };
}

const read = "registry:read";
const write = "registry:write";

const sharedRoutes: readonly Route[] = [
  at("GET", "/$changes", { operation: "changes", scope: read, summary: "Read a change feed onwards" }),
  // Each entry asks for its own scope.
  at("POST", "/$batch", { operation: "batch", authenticated: true, summary: "Several requests at once" }),
];

const consentRoutes: readonly Route[] = [
  at("GET", "/Consent/{id}", { operation: "readConsent", scope: read, summary: "Read one consent" }),
  at("POST", "/Consent/{id}/$revoke", {
    operation: "revokeConsent",
    scope: write,
    summary: "Withdraw a consent",
  }),
  at("DELETE", "/Consent/{id}", {
    operation: "deleteConsent",
    scope: write,
    summary: "Withdraw a consent and erase its evidence",
  }),
];

function groupRoute(template: string, operation: ResourceOperation, summary: string): Route {
  return at("POST", template, { operation, resource: "Group", scope: write, summary });
}

const groupRoutes: readonly Route[] = [
  groupRoute("/Group/{address}/$add-member", "addMember", "Add a member to a group"),
  groupRoute("/Group/{address}/$remove-member", "removeMember", "Remove a member from a group"),
  groupRoute("/Group/$merge", "mergeGroups", "Merge one group into another"),
  groupRoute("/Group/{address}/$split", "splitGroup", "Split a group in two"),
];

const registrantRoutes: readonly Route[] = [
  at("GET", "/registry/registrant", {
    operation: "listRegistrants",
    scope: read,
    summary: "List registrants",
  }),
  at("POST", "/registry/registrant", {
    operation: "createRegistrant",
    scope: write,
    summary: "Create a registrant",
  }),
  at("GET", "/registry/registrant/{ext_id}", {
    operation: "readRegistrant",
    scope: read,
    summary: "Read one registrant",
  }),
  at("PUT", "/registry/registrant/{ext_id}", {
    operation: "replaceRegistrant",
    scope: write,
    summary: "Replace a registrant's name, birthdate and gender",
  }),
];

const changeRequestRoutes: readonly Route[] = [
  at("POST", "/change_request", {
    operation: "submitChangeRequest",
    scope: write,
    summary: "Submit a change request",
  }),
  at("GET", "/change_request/{ext_id}", {
    operation: "readChangeRequest",
    scope: read,
    summary: "Read one change request",
  }),
  at("POST", "/change_request/{ext_id}/$approve", {
    operation: "approveChangeRequest",
    scope: write,
    summary: "Approve a change request",
  }),
  at("POST", "/change_request/{ext_id}/$reject", {
    operation: "rejectChangeRequest",
    scope: write,
    summary: "Reject a change request",
  }),
  at("POST", "/change_request/{ext_id}/$apply", {
    operation: "applyChangeRequest",
    scope: write,
    summary: "Make the approved change",
  }),
];

const programRoutes: readonly Route[] = [
  at("GET", "/programs", { operation: "listPrograms", scope: "program:read", summary: "List programs" }),
  at("GET", "/programs/{ext_id}", {
    operation: "readProgram",
    scope: "program:read",
    summary: "Read one program",
  }),
  at("POST", "/programs/{ext_id}/enroll", {
    operation: "enroll",
    scope: "program:write",
    summary: "Enroll a registrant in a program",
  }),
  at("GET", "/programs/{ext_id}/cycles", {
    operation: "listCycles",
    scope: "program:read",
    summary: "List a program's cycles",
  }),
  at("GET", "/entitlements", {
    operation: "listEntitlements",
    scope: "entitlement:read",
    summary: "List entitlements",
  }),
  at("GET", "/entitlements/{ext_id}", {
    operation: "readEntitlement",
    scope: "entitlement:read",
    summary: "Read one entitlement",
  }),
  at("POST", "/entitlements/{ext_id}/approve", {
    operation: "approveEntitlement",
    scope: "entitlement:write",
    summary: "Approve an entitlement",
  }),
];

/** Every route of a deployment: specification, "Endpoints", and contract sections 5 and 6. */
export function routeTable(capabilities: { readonly programs: boolean }): readonly Route[] {
  const { programs } = capabilities;
  return [
    ...resourceRoutes("Individual", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...resourceRoutes("Group", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...groupRoutes,
    ...(programs ? resourceRoutes("Program", { scope: "program", write: [] }) : []),
    ...(programs
      ? resourceRoutes("ProgramMembership", { scope: "program", write: ["create", "replace"] })
      : []),
    ...consentRoutes,
    ...sharedRoutes,
    ...registrantRoutes,
    ...changeRequestRoutes,
    ...(programs ? programRoutes : []),
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
  return (
    path.startsWith("/api/") ||
    path.startsWith("/oauth2/") ||
    routes.some((route) => pathsOf(route).includes(path))
  );
}

type Write = "create" | "replace" | "patch";

const writes = {
  create: { method: "POST", path: "", verb: "Create" },
  replace: { method: "PUT", path: "/{address}", verb: "Replace" },
  patch: { method: "PATCH", path: "/{address}", verb: "Change" },
} as const;

function resourceRoutes(
  resource: ResourceType,
  { scope, write }: { readonly scope: string; readonly write: readonly Write[] },
): readonly Route[] {
  const common = { at: "api", resource } as const;
  const read = { ...common, method: "GET", scope: `${scope}:read` } as const;
  return [
    { ...read, template: `/${resource}`, operation: "search", summary: `Search ${resource} records` },
    { ...read, template: `/${resource}/{address}`, operation: "read", summary: `Read one ${resource}` },
    {
      ...read,
      template: `/${resource}/{address}/$history`,
      operation: "history",
      summary: `Versions of one ${resource}`,
    },
    ...write.map((operation) => ({
      ...common,
      method: writes[operation].method,
      template: `/${resource}${writes[operation].path}`,
      operation,
      scope: `${scope}:write`,
      summary: `${writes[operation].verb} one ${resource}`,
    })),
  ];
}
