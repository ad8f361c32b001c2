import { mulberry32 } from "../mulberry32.ts";

/** A stream of repeatable choices: the same seed gives the same ones, on every machine. */
export interface Choices {
  /** At least `from` and at most `to`, both whole. */
  between(from: number, to: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** One of the values, each as likely as its weight. */
  weighted<T>(list: readonly [Weighted<T>, ...Weighted<T>[]]): T;
  /** A UUID of version 4 form (RFC 9562, section 5.4). */
  uuid(): string;
  /** So many decimal digits. */
  digits(count: number): string;
}

/** A value and how often it comes, relative to the others. */
export type Weighted<T> = readonly [weight: number, value: T];

/** Choices from a seed, to spread demonstration data. */
export function createChoices(seed: number): Choices {
  const next = mulberry32(seed);
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const hex = (count: number) => Array.from({ length: count }, () => between(0, 15).toString(16)).join("");
  return {
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)] ?? list[0],
    weighted: (list) => byWeight(list, next()),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${between(8, 11).toString(16)}${hex(3)}-${hex(12)}`,
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(""),
  };
}

/** A seed of its own for each part of the data, so that one part does not depend on how much came before it. */
export function seedOf(seed: number, part: number): number {
  return Math.imul(seed ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
}

function byWeight<T>(list: readonly [Weighted<T>, ...Weighted<T>[]], position: number): T {
  const total = list.reduce((sum, [weight]) => sum + weight, 0);
  let left = position * total;
  for (const [weight, value] of list) {
    left -= weight;
    if (left < 0) return value;
  }
  return list[0][1];
}
