import { type Caller, isListOf, isText, refuseWrongOptions } from "@fieldroll/core";
import { secrets as secretsRule } from "../option-rules.ts";

/** Who may ask for tokens: contract section 7. */
export interface Client {
  readonly id: string;
  /** As a {@link SecretHashing} wrote it; never the secret. */
  readonly secretHash: string;
  readonly scopes: readonly string[];
  readonly organization?: string;
  readonly organizationType?: string;
  readonly legalBasis?: string;
  /** The only fields it may ever see, when given. */
  readonly fields?: readonly string[];
  /** What it asks for data for, where a request does not say (`X-Purpose`): contract section 3.1. */
  readonly purpose?: string;
  /** Tokens of a client that is not active stop at once. */
  readonly active: boolean;
  /** Tokens issued before this instant (ISO 8601, a whole second) are good no more, also when it is active again. */
  readonly tokensNotBefore?: string;
}

/** A client as an operator states it, with its secret in the clear. */
export type ClientRegistration = Omit<Client, "secretHash" | "active"> & {
  readonly secret: string;
  /** Default: true. */
  readonly active?: boolean;
};

/** Where clients are looked up, at every request: so a deactivation holds from the next one on. */
export interface ClientDirectory {
  find(id: string): Promise<Client | undefined>;
}

/** Hashes secrets slowly, and compares in constant time. `scryptSecrets` of `@fieldroll/server/node` is one. */
export interface SecretHashing {
  hash(secret: string): Promise<string>;
  verify(secret: string, hash: string): Promise<boolean>;
}

/**
 * A directory of clients that are given once, such as those of a file. Their secrets are hashed before it returns.
 *
 * @throws TypeError for what are no registrations, or no {@link SecretHashing}
 */
export async function createClientDirectory(
  registrations: readonly ClientRegistration[],
  secrets: SecretHashing,
): Promise<ClientDirectory> {
  refuseWrongOptions(
    "createClientDirectory",
    { registrations, secrets },
    {
      registrations: [(given) => isListOf(given, isRegistration), "a list of { id, secret, scopes }"],
      secrets: secretsRule,
    },
  );
  const clients = await Promise.all(
    registrations.map(async ({ secret, active = true, ...rest }): Promise<Client> => {
      return { ...rest, active, secretHash: await secrets.hash(secret) };
    }),
  );
  const byId = new Map(clients.map((client) => [client.id, client]));
  return { find: async (id) => byId.get(id) };
}

function isRegistration(given: unknown): boolean {
  const { id, secret, scopes } = Object(given);
  return isText(id) && isText(secret) && isListOf(scopes, isText);
}

/** From when on a client's tokens count, in seconds since 1970; 0 where all do. */
export function firstTokenSecond({ tokensNotBefore }: Client): number {
  return tokensNotBefore === undefined ? 0 : Date.parse(tokensNotBefore) / 1000;
}

/** The caller that a client's token stands for. Scopes taken from the client since do not count any more. */
export function callerOf(client: Client, granted: readonly string[]): Caller {
  const { id, scopes, organization, organizationType, legalBasis, fields, purpose } = client;
  return {
    clientId: id,
    scopes: granted.filter((scope) => scopes.includes(scope)),
    ...(organization === undefined ? {} : { organization }),
    ...(organizationType === undefined ? {} : { organizationType }),
    ...(legalBasis === undefined ? {} : { legalBasis }),
    ...(fields === undefined ? {} : { fields }),
    ...(purpose === undefined ? {} : { purpose }),
  };
}
