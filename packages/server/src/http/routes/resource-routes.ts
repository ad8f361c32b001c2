import type { ResourceType } from "@fieldroll/core";
import type { ResourceOperation, Route } from "../route-table.ts";
import { apiRoute } from "./api-route.ts";

type Write = "create" | "replace" | "patch";

const writes = {
  create: { method: "POST", path: "", verb: "Create" },
  replace: { method: "PUT", path: "/{address}", verb: "Replace" },
  patch: { method: "PATCH", path: "/{address}", verb: "Change" },
} as const;

/** The four types of record: specification, "Resource endpoints". */
export function recordRoutes({ programs }: { readonly programs: boolean }): readonly Route[] {
  return [
    ...routesOf("Individual", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...routesOf("Group", { scope: "registry", write: ["create", "replace", "patch"] }),
    ...groupRoutes,
    ...(programs ? routesOf("Program", { scope: "program", write: [] }) : []),
    ...(programs ? routesOf("ProgramMembership", { scope: "program", write: ["create", "replace"] }) : []),
  ];
}

function routesOf(
  resource: ResourceType,
  { scope, write }: { readonly scope: string; readonly write: readonly Write[] },
): readonly Route[] {
  const read = { resource, scope: `${scope}:read` } as const;
  return [
    apiRoute("GET", `/${resource}`, { ...read, operation: "search", summary: `Search ${resource} records` }),
    apiRoute("GET", `/${resource}/{address}`, {
      ...read,
      operation: "read",
      summary: `Read one ${resource}`,
    }),
    apiRoute("GET", `/${resource}/{address}/$history`, {
      ...read,
      operation: "history",
      summary: `Versions of one ${resource}`,
    }),
    ...write.map((operation) => {
      const { method, path, verb } = writes[operation];
      const summary = `${verb} one ${resource}`;
      return apiRoute(method, `/${resource}${path}`, {
        operation,
        resource,
        scope: `${scope}:write`,
        summary,
      });
    }),
  ];
}

function groupRoute(template: string, operation: ResourceOperation, summary: string): Route {
  return apiRoute("POST", template, { operation, resource: "Group", scope: "registry:write", summary });
}

const groupRoutes: readonly Route[] = [
  groupRoute("/Group/{address}/$add-member", "addMember", "Add a member to a group"),
  groupRoute("/Group/{address}/$remove-member", "removeMember", "Remove a member from a group"),
  groupRoute("/Group/$merge", "mergeGroups", "Merge one group into another"),
  groupRoute("/Group/{address}/$split", "splitGroup", "Split a group in two"),
];

/** Consents, and what concerns records of every type: contract section 5. */
export const sharedRoutes: readonly Route[] = [
  apiRoute("GET", "/Consent/{id}", {
    operation: "readConsent",
    scope: "registry:read",
    summary: "Read one consent",
  }),
  apiRoute("POST", "/Consent/{id}/$revoke", {
    operation: "revokeConsent",
    scope: "registry:write",
    summary: "Withdraw a consent",
  }),
  apiRoute("DELETE", "/Consent/{id}", {
    operation: "deleteConsent",
    scope: "registry:write",
    summary: "Withdraw a consent and erase its evidence",
  }),
  apiRoute("GET", "/$changes", {
    operation: "changes",
    scope: "registry:read",
    summary: "Read a change feed onwards",
  }),
  // Each entry asks for its own scope.
  apiRoute("POST", "/$batch", {
    operation: "batch",
    authenticated: true,
    summary: "Several requests at once",
  }),
];
