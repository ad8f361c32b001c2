import type { Client, ClientDirectory, SecretHashing } from "./clients.ts";
import { createExpiring } from "./expiring.ts";
import { createGate } from "./gate.ts";
import { createSignInLimits, type HeldBack, type SignInPlace } from "./sign-in-limits.ts";

/** Who claims to be a client. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Network address, where known: failures count per client and address, and per address. */
  readonly peer?: string;
}

/** Says whether a secret is a client's: contract section 7. */
export interface ClientCredentials {
  /** The active client, or nobody, or how long to wait. */
  check(credentials: Credentials): Promise<Checked>;
}

export type Checked = { readonly ok: true; readonly client: Client | undefined } | HeldBack;

/** A hash keeps a processor busy for some 40 ms, and a thread of the pool that the host does other work with. */
const hashesAtOnce = 2;
/** Less than a second of waiting. */
const mostWaiting = 32;
/** How long a secret that was right is known to be, so that a slow hash is not the cost of each request. */
const rememberedMilliseconds = 5 * 60_000;

/** Makes the check. What it remembers and counts is this process's own. */
export function createClientCredentials(options: {
  readonly clients: ClientDirectory;
  readonly secrets: SecretHashing;
  readonly clock: () => Date;
}): ClientCredentials {
  const { clients, secrets, clock } = options;
  const limits = createSignInLimits(clock);
  const gate = createGate({ atOnce: hashesAtOnce, mostWaiting });
  const fingerprint = createFingerprint();
  const right = createExpiring<true>({ clock, capacity: 10_000 });
  const running = new Map<string, Promise<boolean>>();
  let decoy: Promise<string> | undefined;

  const verify = async (client: Client | undefined, secret: string): Promise<boolean> => {
    // An unknown client costs the same work as a known one, so that timing tells nothing.
    decoy ??= secrets.hash("no client has this secret");
    const matches = await secrets.verify(secret, client?.secretHash ?? (await decoy));
    return matches && client?.active === true;
  };
  /** Hashes in turn; `undefined` when too many wait. The attempt counts until it has ended. */
  const attempt = (place: SignInPlace, print: string, hash: () => Promise<boolean>) => {
    const hashed = gate.run(hash, { ahead: place.isFamiliar() });
    if (!hashed) return undefined;
    const end = place.begin(print);
    const ended = hashed.then(
      (isRight) => {
        if (isRight) right.keep(print, true, clock().getTime() + rememberedMilliseconds);
        end(isRight);
        return isRight;
      },
      (error: unknown) => {
        end(undefined);
        throw error;
      },
    );
    return ended.finally(() => running.delete(print));
  };
  return {
    async check({ clientId, clientSecret, peer }) {
      const place = limits.placeOf(clientId, peer);
      const early = place.heldBack();
      if (early) return early;
      const client = await clients.find(clientId);
      // What is known of a secret counts no more once the client has another one, or is let in again.
      const print = await fingerprint([clientId, client?.secretHash, client?.active, clientSecret, peer]);
      await running.get(print);
      if (right.find(print)) return { ok: true, client };
      const again = place.failedAgain(print);
      if (again) return again === "wrong" ? { ok: true, client: undefined } : again;
      // Others may have failed meanwhile.
      const late = place.heldBack();
      if (late) return late;
      const attempted = attempt(place, print, () => verify(client, clientSecret));
      if (!attempted) return { ok: false, retryAfter: 1 };
      running.set(print, attempted);
      return { ok: true, client: (await attempted) ? client : undefined };
    },
  };
}

/** Under a key that this process forgets at its end, so that what is remembered gives no secret away. */
function createFingerprint(): (parts: readonly unknown[]) => Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const key = crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return async (parts) => {
    const mac = await crypto.subtle.sign("HMAC", await key, new TextEncoder().encode(JSON.stringify(parts)));
    return Array.from(new Uint8Array(mac), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}
