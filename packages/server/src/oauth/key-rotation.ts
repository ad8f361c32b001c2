/** What is known of a signing key without its secret. */
export interface KeyAge {
  /** The key's document: keys are numbered in the order in which they were made. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface RotationRule {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Age in milliseconds from which the newest key signs no more. */
  readonly signsFor: number;
  /** Milliseconds for which a token that a key signed as long as it was the newest may still be alive. */
  readonly tokensLive: number;
}

export interface Rotation {
  /** Whether a new key is due. */
  readonly make: boolean;
  /** Keys of which no token can be alive. */
  readonly remove: readonly string[];
}

/**
 * Decides which signing keys come and go. A key verifies until the last token that it signed has expired; it signed until its
 * successor was there.
 *
 * @param keys oldest first
 */
export function decideRotation(keys: readonly KeyAge[], rule: RotationRule): Rotation {
  const newest = keys.at(-1);
  const remove = keys.flatMap(({ key }, i) => {
    const successor = keys[i + 1];
    return successor && successor.createdAt + rule.tokensLive < rule.now ? [key] : [];
  });
  return { make: newest === undefined || newest.createdAt + rule.signsFor <= rule.now, remove };
}
