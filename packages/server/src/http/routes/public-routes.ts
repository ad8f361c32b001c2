import type { PublicOperation, Route } from "../route-table.ts";

function publicRoute(template: string, operation: PublicOperation, summary: string): Route {
  return { method: "GET", template, at: "both", operation, summary };
}

/** What anybody may call: contract section 5, and the token endpoint. */
export const publicRoutes: readonly Route[] = [
  publicRoute("/metadata", "metadata", "Capability statement"),
  publicRoute("/openapi.json", "openapi", "This interface as an OpenAPI 3.1 document"),
  publicRoute("/docs", "docs", "This interface as a page for people"),
  publicRoute("/errors", "errorIndex", "Every type of problem"),
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
