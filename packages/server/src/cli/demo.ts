import type { ClientRegistration } from "../oauth/clients.ts";

/** The organization to which people of the demonstration have given consents. */
export const demoPartner = { organization: "Hope Relief", organizationType: "ngo" };

const organization = { organization: "Ministry of Social Welfare", organizationType: "government" };

/** Who may sign in to the demonstration. The secrets are public: never use them for real records. */
export const demoClients: readonly ClientRegistration[] = [
  {
    id: "enumerator",
    secret: "walk-house-to-house",
    scopes: ["registry:read", "registry:write", "program:read", "program:write"],
    ...organization,
    legalBasis: "public_task",
  },
  {
    id: "supervisor",
    secret: "look-twice-sign-once",
    scopes: [
      ...["registry:read", "registry:write", "program:read", "program:write"],
      ...["entitlement:read", "entitlement:write"],
    ],
    ...organization,
    legalBasis: "public_task",
  },
  {
    id: "ngo-partner",
    secret: "only-what-they-allow",
    scopes: ["registry:read", "program:read", "entitlement:read"],
    organization: demoPartner.organization,
    organizationType: demoPartner.organizationType,
    legalBasis: "consent",
    purpose: "service_delivery",
  },
];
