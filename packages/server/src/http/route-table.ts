import type { ResourceType } from "@fieldroll/core";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a route does; each has one function that `perform.ts` calls. */
export type OperationName =
  | "read"
  | "search"
  | "create"
  | "replace"
  | "patch"
  | "changes"
  | "metadata"
  | "health"
  | "readiness"
  | "token";

/** One operation at one path. The handler, `/metadata` and every description of the API are made from these. */
export interface Route {
  readonly method: Method;
  /** From the API's root, or from the server's root; `{address}` stands for the rest of the path. */
  readonly template: string;
  /** `api` below /api/v2, `root` at the server's root, `both` at either. */
  readonly at: "api" | "root" | "both";
  readonly operation: OperationName;
  readonly resource?: ResourceType;
  /** The scope that opens it; without one it is public. */
  readonly scope?: string;
  readonly summary: string;
}

/** Where the API begins: specification, "Versioning". */
export const apiRoot = "/api/v2";

const publicRoutes: readonly Route[] = [
  {
    method: "GET",
    template: "/metadata",
    at: "both",
    operation: "metadata",
    summary: "Capability statement",
  },
  {
    method: "GET",
    template: "/healthz",
    at: "both",
    operation: "health",
    summary: "Whether the process runs",
  },
  {
    method: "GET",
    template: "/readyz",
    at: "both",
    operation: "readiness",
    summary: "Whether the storage answers",
  },
  { method: "POST", template: "/oauth2/token", at: "root", operation: "token", summary: "Access token" },
];

const feedRoutes: readonly Route[] = [
  {
    method: "GET",
    template: "/$changes",
    at: "api",
    operation: "changes",
    scope: "registry:read",
    summary: "Read a change feed onwards",
  },
];

/** Every route of a deployment: specification, "Resource endpoints", and contract section 5. */
export function routeTable(capabilities: { readonly programs: boolean }): readonly Route[] {
  return [
    ...resourceRoutes("Individual", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...resourceRoutes("Group", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...(capabilities.programs
      ? [
          ...resourceRoutes("Program", { scope: "program", write: [] }),
          ...resourceRoutes("ProgramMembership", { scope: "program", write: ["create", "replace"] }),
        ]
      : []),
    ...feedRoutes,
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
