/**
 * Numbers from 0 up to 1, the same for the same seed: a counter of 32 bits, mixed by multiplications and shifts. Small, fast and
 * good enough for demonstrations and tests; no source of secrets.
 */
export function mulberry32(seed: number): () => number {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
