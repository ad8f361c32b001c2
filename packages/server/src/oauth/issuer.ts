import {
  allScopes,
  type Caller,
  checkedClock,
  isListOf,
  isText,
  type OptionRule,
  optional,
  optionRules,
  refuseWrongOptions,
  type Store,
  shortened,
} from "@fieldroll/core";
import {
  amount,
  callback,
  clock as clockRule,
  isDirectory,
  secrets as secretsRule,
  text,
} from "../option-rules.ts";
import { type Credentials, createClientCredentials } from "./client-credentials.ts";
import {
  type Client,
  type ClientDirectory,
  callerOf,
  firstTokenSecond,
  type SecretHashing,
} from "./clients.ts";
import { createExpiring } from "./expiring.ts";
import { createKeyRing } from "./key-ring.ts";
import { createOwnTokens } from "./own-tokens.ts";
import type { PublicKey } from "./signing-keys.ts";
import { createTrustedIssuers, type TrustedIssuer } from "./trusted-issuers.ts";
import type { VerifiedToken } from "./verified-token.ts";

/** Issues access tokens to clients and says whom a token stands for: contract section 7. */
export interface Issuer {
  grant(request: GrantRequest): Promise<GrantOutcome>;
  /**
   * The caller of a valid token whose client is active, or `undefined`. Rejects when that can't be told, because the store or
   * a trusted issuer does not answer.
   */
  identify(token: string): Promise<Caller | undefined>;
  /** The keys that verify this issuer's tokens: their public halves. */
  publicKeys(): Promise<readonly PublicKey[]>;
}

/** A client credentials request (RFC 6749 section 4.4). */
export interface GrantRequest extends Credentials {
  /** Space-separated; without it, everything the client has. */
  readonly scope?: string;
  /**
   * Address of the authorization server as the client reached it, which is the `issuer` of the metadata there: RFC 8414 section
   * 3.3. The token names it. Default: `urn:<namespace>:issuer`.
   */
  readonly issuer?: string;
}

export type GrantOutcome =
  | { readonly ok: true; readonly token: string; readonly expiresIn: number; readonly scope: string }
  | { readonly ok: false; readonly error: "invalid_client" | "invalid_scope"; readonly description: string }
  | {
      readonly ok: false;
      readonly error: "too_many_requests";
      /** Whole seconds. */
      readonly retryAfter: number;
      /** Failures allowed in a minute, where there were as many; without it, too many secrets are being hashed. */
      readonly limit?: number;
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
  /** Age in days at which a signing key is replaced by a new one. Default: 90. */
  readonly rotateAfterDays?: number;
  /** Replaces `service` in the name that tokens carry as their audience. */
  readonly namespace?: string;
  /** Other authorization servers whose tokens are accepted for clients of the directory. Default: none. */
  readonly trusted?: readonly TrustedIssuer[];
  /** Fetches the keys of trusted issuers. Default: the host's. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long such a fetch may take, to its last byte. Default: 5,000. */
  readonly fetchMilliseconds?: number;
}

const rules: Readonly<Record<string, OptionRule>> = {
  store: optionRules.store,
  clients: [isDirectory, "a directory of clients, such as createStoredClients(store)"],
  secrets: secretsRule,
  clock: clockRule,
  lifetimeSeconds: amount,
  rotateAfterDays: amount,
  namespace: text,
  trusted: optional([(given) => isListOf(given, isTrusted), "a list of { issuer, audience }"]),
  fetch: callback,
  fetchMilliseconds: amount,
};

function isTrusted(given: unknown): boolean {
  const { issuer, audience } = Object(given);
  return isText(issuer) && isText(audience);
}

/**
 * Makes an issuer of signed tokens (RFC 9068). Its keys are read, or made, at the first use.
 *
 * @throws TypeError where an option is missing or of another kind
 */
export function createIssuer(options: IssuerOptions): Issuer {
  refuseWrongOptions("createIssuer", options, rules);
  const { store, clients, secrets, lifetimeSeconds = 3600 } = options;
  const clock = checkedClock("createIssuer", options.clock ?? (() => new Date()));
  const { rotateAfterDays = 90, namespace = "service", trusted = [] } = options;
  const { fetch = (...request) => globalThis.fetch(...request), fetchMilliseconds = 5000 } = options;
  const keys = createKeyRing({ store, clock, lifetimeSeconds, rotateAfterDays });
  const own = createOwnTokens({ keys, clock, lifetimeSeconds, name: `urn:${namespace}:issuer` });
  const others = createTrustedIssuers(trusted, { clock, fetch, milliseconds: fetchMilliseconds });
  const credentials = createClientCredentials({ clients, secrets, clock });
  const verified = createExpiring<VerifiedToken>({ clock, capacity: 10_000 });

  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const known = verified.find(token);
    if (known) return known;
    const fresh = (await others.verify(token)) ?? (await own.verify(token));
    if (fresh) verified.keep(token, fresh, fresh.expiresAt);
    return fresh;
  };

  return {
    async grant(request) {
      const checked = await credentials.check(request);
      if (!checked.ok) return { ...checked, error: "too_many_requests" };
      const { client } = checked;
      if (!client) {
        return { ok: false, error: "invalid_client", description: "The client id or its secret is wrong" };
      }
      const granted = grantedScope(client, request.scope);
      if (!granted.ok) return granted;
      const { scope } = granted;
      return {
        ok: true,
        token: await own.sign(client, { scope, issuer: request.issuer }),
        expiresIn: lifetimeSeconds,
        scope,
      };
    },
    async identify(token) {
      const claims = await verify(token);
      if (!claims) return undefined;
      // At every request, also for a token seen before: a client that was deactivated or removed stops at once.
      const client = await clients.find(claims.clientId);
      if (!client?.active || claims.issuedAt < firstTokenSecond(client)) return undefined;
      return callerOf(client, claims.scopes);
    },
    publicKeys: () => keys.published(),
  };
}

type ScopeOutcome =
  | { readonly ok: true; readonly scope: string }
  | { readonly ok: false; readonly error: "invalid_scope"; readonly description: string };

/** What is requested, narrowed to what the client has. */
function grantedScope(client: Client, requested: string | undefined): ScopeOutcome {
  const names = requested?.split(" ").filter((name) => name !== "") ?? [];
  const unknown = names.filter((name) => !allScopes.includes(name));
  const [first] = unknown;
  if (first !== undefined) {
    return invalidScope(`There is no scope ${printable(first)}. There are ${allScopes.join(", ")}`);
  }
  const scopes = names.length === 0 ? client.scopes : client.scopes.filter((name) => names.includes(name));
  if (scopes.length === 0) {
    return invalidScope(
      `The client does not have ${[...new Set(names)].join(", ")}. Leave scope out to get all that it has`,
    );
  }
  return { ok: true, scope: scopes.join(" ") };
}

/** RFC 6749 section 5.2 leaves a description no quotation marks or backslashes, and nothing beyond ASCII. */
function printable(name: string): string {
  return shortened(name.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, "?"), 60).replace("…", "...");
}

function invalidScope(description: string): ScopeOutcome {
  return { ok: false, error: "invalid_scope", description };
}
