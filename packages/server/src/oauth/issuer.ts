import { allScopes, type Caller, type Store } from "@fieldroll/core";
import { jwtVerify, SignJWT } from "jose";
import { type Client, type ClientDirectory, callerOf, type SecretHashing } from "./clients.ts";
import { createFailedAttempts } from "./failed-attempts.ts";
import { loadSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { createTokenCache, type VerifiedToken } from "./token-cache.ts";

/** Issues access tokens to clients and says whom a token stands for: contract section 7. */
export interface Issuer {
  grant(request: GrantRequest): Promise<GrantOutcome>;
  /** The caller of a valid token whose client is active, or `undefined`. */
  identify(token: string): Promise<Caller | undefined>;
}

/** A client credentials request (RFC 6749 section 4.4). */
export interface GrantRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Space-separated; without it, everything the client has. */
  readonly scope?: string;
  /** Network address, where known: failures count per client and address. */
  readonly peer?: string;
}

export type GrantOutcome =
  | { readonly ok: true; readonly token: string; readonly expiresIn: number; readonly scope: string }
  | { readonly ok: false; readonly error: "invalid_client" | "invalid_scope"; readonly description: string }
  | {
      readonly ok: false;
      readonly error: "too_many_requests";
      readonly retryAfter: number;
      readonly limit: number;
    };

export interface IssuerOptions {
  /** Keeps the signing keys. */
  readonly store: Store;
  readonly clients: ClientDirectory;
  readonly secrets: SecretHashing;
  /** Default: the system's clock. */
  readonly clock?: () => Date;
  /** Life of a token in seconds. Default: 3600. */
  readonly lifetimeSeconds?: number;
  /** Replaces `service` in the name that tokens carry as their issuer. */
  readonly namespace?: string;
}

const algorithm = "ES256";
/** Failed requests a minute, per client and address: contract section 7. */
const mostFailures = 5;
/** Token type of RFC 9068, so that no other JWT of the same key passes for an access token. */
const tokenType = "at+jwt";

/** Makes an issuer of signed tokens (RFC 9068). Its keys are read, or made, at the first use. */
export function createIssuer(options: IssuerOptions): Issuer {
  const { clock = () => new Date(), lifetimeSeconds = 3600, namespace = "service" } = options;
  const name = `urn:${namespace}:issuer`;
  const keys = rememberKeys(options.store, clock);
  const attempts = createFailedAttempts({ clock, most: mostFailures, windowSeconds: 60 });
  const verified = createTokenCache({ clock, capacity: 10_000 });
  const decoy = once(() => options.secrets.hash("no client has this secret"));

  const authenticated = async ({ clientId, clientSecret }: GrantRequest): Promise<Client | undefined> => {
    const client = await options.clients.find(clientId);
    // An unknown client costs the same work as a known one, so that timing tells nothing.
    const matches = await options.secrets.verify(clientSecret, client?.secretHash ?? (await decoy()));
    return matches && client?.active ? client : undefined;
  };

  const signed = async (client: Client, scope: string): Promise<string> => {
    const { id, privateKey } = (await keys.current()).newest;
    const issuedAt = Math.floor(clock().getTime() / 1000);
    return new SignJWT({ client_id: client.id, scope })
      .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: id })
      .setIssuer(name)
      .setAudience(name)
      .setSubject(client.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(privateKey);
  };

  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const known = verified.find(token);
    if (known) return known;
    const fresh = await verifyToken(token, { name, keys, now: clock() });
    if (fresh) verified.keep(token, fresh);
    return fresh;
  };

  return {
    async grant(request) {
      const who = `${request.clientId}\n${request.peer ?? ""}`;
      const attempted = await attempts.attempt(who, () => authenticated(request));
      if (!attempted.tried) {
        const { secondsToWait: retryAfter } = attempted;
        return { ok: false, error: "too_many_requests", retryAfter, limit: mostFailures };
      }
      const client = attempted.result;
      if (!client) {
        return { ok: false, error: "invalid_client", description: "The client id or its secret is wrong" };
      }
      const scope = grantedScope(client, request.scope);
      if (!scope.ok) return scope;
      return {
        ok: true,
        token: await signed(client, scope.scope),
        expiresIn: lifetimeSeconds,
        scope: scope.scope,
      };
    },
    async identify(token) {
      const claims = await verify(token);
      const client = claims && (await options.clients.find(claims.clientId));
      return claims && client?.active ? callerOf(client, claims.scopes) : undefined;
    },
  };
}

type ScopeOutcome =
  | { readonly ok: true; readonly scope: string }
  | Extract<GrantOutcome, { description: string }>;

/** Narrows what was asked for to what the client has; a scope that does not exist is refused. */
export function grantedScope(client: Client, requested: string | undefined): ScopeOutcome {
  const names = requested?.split(" ").filter((name) => name !== "") ?? [];
  const unknown = names.find((name) => !allScopes.includes(name));
  if (unknown !== undefined) return invalidScope("One of the requested scopes does not exist");
  const scopes = names.length === 0 ? client.scopes : client.scopes.filter((name) => names.includes(name));
  if (scopes.length === 0) return invalidScope("The client has none of the requested scopes");
  return { ok: true, scope: scopes.join(" ") };
}

function invalidScope(description: string): ScopeOutcome {
  return { ok: false, error: "invalid_scope", description };
}

interface RememberedKeys {
  current(): Promise<SigningKeys>;
  /** Reads them anew: another process may have made a key since. */
  reload(): Promise<SigningKeys>;
}

function rememberKeys(store: Store, clock: () => Date): RememberedKeys {
  let held: Promise<SigningKeys> | undefined;
  const reload = () => {
    const loading = loadSigningKeys(store, { clock });
    held = loading;
    loading.catch(() => {
      if (held === loading) held = undefined;
    });
    return loading;
  };
  return { current: () => held ?? reload(), reload };
}

async function verifyToken(
  token: string,
  { name, keys, now }: { readonly name: string; readonly keys: RememberedKeys; readonly now: Date },
): Promise<VerifiedToken | undefined> {
  const current = await keys.current();
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = "" }) => {
        const key = current.verifier(kid) ?? (await keys.reload()).verifier(kid);
        if (!key) throw new Error("the token names a key that is not here");
        return key;
      },
      { algorithms: [algorithm], audience: name, issuer: name, typ: tokenType, currentDate: now },
    );
    const { client_id: clientId, scope, exp } = payload;
    if (typeof clientId !== "string" || typeof scope !== "string" || exp === undefined) return undefined;
    return { clientId, scopes: scope.split(" "), expiresAt: exp * 1000 };
  } catch {
    return undefined;
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
