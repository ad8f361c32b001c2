import { mulberry32 } from "../mulberry32.ts";

/** Numbers, choices and ids that are the same for the same seed. */
export interface SeededRandom {
  /** A number from 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to `below`. */
  below(below: number): number;
  /** One of these. */
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** Whether something happens that does so with this probability. */
  chance(probability: number): boolean;
  /** One of these names, as often as their weights say; `undefined` where all weigh nothing. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name | undefined;
  /** A UUIDv7 (RFC 9562) of an instant, in milliseconds since 1970. */
  uuid(instant: number): string;
  /** Another source, whose numbers do not depend on how many this one gives later. */
  fork(): SeededRandom;
}

/** Makes a source of random numbers (mulberry32) from a whole number. */
export function createSeededRandom(seed: number): SeededRandom {
  const next = mulberry32(seed);
  const below = (bound: number) => Math.floor(next() * bound);
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join("");
  return {
    next,
    below,
    pick(items) {
      if (items.length === 0) throw new RangeError("There is nothing to pick from.");
      return items[below(items.length)] as (typeof items)[number];
    },
    chance: (probability) => next() < probability,
    weighted(weights) {
      const entries = Object.entries<number>(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return undefined;
    },
    uuid(instant) {
      const time = Math.trunc(instant).toString(16).padStart(12, "0");
      const variant = (8 + below(4)).toString(16);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
    },
    fork: () => createSeededRandom(below(4_294_967_296)),
  };
}
