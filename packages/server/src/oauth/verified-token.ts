/** What a verified token says. */
export interface VerifiedToken {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970; 0 where it does not say. */
  readonly issuedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
