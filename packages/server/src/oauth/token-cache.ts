/** What a verified token says. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970; 0 where it does not say. */
  readonly issuedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Remembers verified tokens until they expire, so that a signature is checked once and not at every request. */
export interface TokenCache {
  find(token: string): VerifiedToken | undefined;
  keep(token: string, verified: VerifiedToken): void;
}

/** Makes a cache that holds at most `capacity` tokens and then forgets the oldest. */
export function createTokenCache(options: {
  readonly clock: () => Date;
  readonly capacity: number;
}): TokenCache {
  const held = new Map<string, VerifiedToken>();
  return {
    find(token) {
      const verified = held.get(token);
      if (verified === undefined || verified.expiresAt > options.clock().getTime()) return verified;
      held.delete(token);
      return undefined;
    },
    keep(token, verified) {
      held.set(token, verified);
      const [oldest] = held.keys();
      if (held.size > options.capacity && oldest !== undefined) held.delete(oldest);
    },
  };
}
