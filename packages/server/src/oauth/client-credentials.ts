import type { Client, ClientDirectory, SecretHashing } from "./clients.ts";
import { type Attempted, createFailedAttempts } from "./failed-attempts.ts";

/** Who claims to be a client. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Network address, where known: failures count per client and address. */
  readonly peer?: string;
}

/** Says whether a secret is a client's: contract section 7. */
export interface ClientCredentials {
  /** The active client, or nobody, or how long to wait. */
  check(credentials: Credentials): Promise<Attempted<Client>>;
}

/** Failed attempts a minute, per client and address: contract section 7. */
export const mostFailures = 5;
/** How long a secret that was right is known to be, so that a slow hash is not the cost of each request. */
const rememberedMilliseconds = 5 * 60_000;
const capacity = 1000;

interface Remembered {
  readonly fingerprint: string;
  /** Of the client as it was: with another secret, what is remembered counts no more. */
  readonly secretHash: string;
  readonly until: number;
}

/** Makes the check. What it remembers and counts is this process's own. */
export function createClientCredentials(options: {
  readonly clients: ClientDirectory;
  readonly secrets: SecretHashing;
  readonly clock: () => Date;
}): ClientCredentials {
  const { clients, secrets, clock } = options;
  const attempts = createFailedAttempts({ clock, most: mostFailures, windowSeconds: 60 });
  const fingerprint = createFingerprint();
  const remembered = new Map<string, Remembered>();
  let decoy: Promise<string> | undefined;

  const isRemembered = ({ id, secretHash }: Client, print: string): boolean => {
    const known = remembered.get(id);
    return known?.fingerprint === print && known.secretHash === secretHash && known.until > clock().getTime();
  };
  const remember = ({ id, secretHash }: Client, print: string): void => {
    remembered.delete(id);
    remembered.set(id, { fingerprint: print, secretHash, until: clock().getTime() + rememberedMilliseconds });
    const [oldest] = remembered.keys();
    if (remembered.size > capacity && oldest !== undefined) remembered.delete(oldest);
  };
  const verified = async ({ clientId, clientSecret }: Credentials): Promise<Client | undefined> => {
    const client = await clients.find(clientId);
    const print = await fingerprint(clientSecret);
    if (client?.active && isRemembered(client, print)) return client;
    // An unknown client costs the same work as a known one, so that timing tells nothing.
    decoy ??= secrets.hash("no client has this secret");
    const matches = await secrets.verify(clientSecret, client?.secretHash ?? (await decoy));
    if (!matches || !client?.active) return undefined;
    remember(client, print);
    return client;
  };
  return {
    check: (credentials) =>
      attempts.attempt(`${credentials.clientId}\n${credentials.peer ?? ""}`, () => verified(credentials)),
  };
}

/** Under a key that this process forgets at its end, so that what is remembered gives no secret away. */
function createFingerprint(): (secret: string) => Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const key = crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return async (secret) => {
    const mac = await crypto.subtle.sign("HMAC", await key, new TextEncoder().encode(secret));
    return Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}
