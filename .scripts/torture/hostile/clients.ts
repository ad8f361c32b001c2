import type { HostedServer } from "./server.ts";

const all = [
  "registry:read",
  "registry:write",
  "program:read",
  "program:write",
  "entitlement:read",
  "entitlement:write",
];

/** Who attacks, and who works meanwhile: the demonstration's own clients beside these. */
export const hostileClients = [
  {
    id: "worker",
    secret: "works-all-day-long",
    scopes: all,
    organization: "Ministry",
    organizationType: "government",
    legalBasis: "public_task",
  },
  {
    id: "whole",
    secret: "sees-all-of-everybody",
    scopes: all,
    organization: "Ministry",
    organizationType: "government",
    legalBasis: "public_task",
  },
  {
    id: "narrow",
    secret: "sees-only-the-names",
    scopes: all,
    organization: "Bureau",
    organizationType: "government",
    legalBasis: "public_task",
    fields: ["name"],
  },
  {
    id: "partner",
    secret: "sees-by-consent-alone",
    scopes: all,
    organization: "Hope Relief",
    organizationType: "ngo",
    legalBasis: "consent",
  },
  {
    id: "stranger",
    secret: "sees-nobody-at-all-ever",
    scopes: all,
    organization: "Nobody",
    organizationType: "other",
    legalBasis: "consent",
  },
] as const;

export type HostileClient = (typeof hostileClients)[number]["id"];

/** Access tokens by client; renewed by asking again. */
export async function tokensOf({ origin }: HostedServer): Promise<Readonly<Record<HostileClient, string>>> {
  const pairs = hostileClients.map(async ({ id, secret }) => {
    const answer = await requestToken(origin, id, secret);
    if (!answer.ok) throw new Error(`${id} gets no token: ${answer.status} ${await answer.text()}`);
    const { access_token } = (await answer.json()) as { access_token: string };
    return [id, access_token] as const;
  });
  return Object.fromEntries(await Promise.all(pairs)) as Record<HostileClient, string>;
}

export function requestToken(origin: string, id: string, secret: string): Promise<Response> {
  return fetch(`${origin}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret }),
  });
}
