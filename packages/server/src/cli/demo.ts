import type { ClientRegistration } from "../oauth/clients.ts";

/** The organization to which people of the demonstration have given consents. */
export const demoPartner = { organization: "Hope Relief", organizationType: "ngo" };

const organization = { organization: "Ministry of Social Welfare", organizationType: "government" };

/** What each may do, in a few words; the README says the same with the scopes. */
export const demoUses: Readonly<Record<string, string>> = {
  enumerator: "field app: reads and writes people, households, enrollments; no entitlements",
  supervisor: "the same, and reads and approves entitlements",
  "ngo-partner": "a partner: reads only what people have consented to show it",
};

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
