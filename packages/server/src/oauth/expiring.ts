/** Values that are known until an instant, in bounded memory. */
export interface Expiring<T> {
  find(key: string): T | undefined;
  /** @param until milliseconds since 1970 */
  keep(key: string, value: T, until: number): void;
}

/** Makes a memory of at most `capacity` values, which then forgets the one that was kept first. */
export function createExpiring<T>(options: {
  readonly clock: () => Date;
  readonly capacity: number;
}): Expiring<T> {
  const held = new Map<string, { readonly value: T; readonly until: number }>();
  return {
    find(key) {
      const found = held.get(key);
      if (found === undefined) return undefined;
      if (found.until > options.clock().getTime()) return found.value;
      held.delete(key);
      return undefined;
    },
    keep(key, value, until) {
      held.delete(key);
      held.set(key, { value, until });
      const [oldest] = held.keys();
      if (held.size > options.capacity && oldest !== undefined) held.delete(oldest);
    },
  };
}
