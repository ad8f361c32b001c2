/** What was just done, with the fewest records that needed a decision since it was told. */
export interface ToldAmong {
  readonly parked: number;
}

/**
 * What stays told once so many records need a decision: nothing where those became more. What was just saved or sent again may be one
 * of them, and is not well any more.
 */
export function stillTold<T extends ToldAmong>(told: T, parked: number): T | null {
  if (parked > told.parked) return null;
  return parked < told.parked ? { ...told, parked } : told;
}
