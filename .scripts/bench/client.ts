/** Who asks the service for a token, in pages and in servers. */
export const client = {
  id: "bench",
  secret: "bench-secret",
  scopes: ["registry:read", "registry:write"],
  legalBasis: "public_task",
};
