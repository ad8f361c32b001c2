/** How much a page of a feed asks for, and how fast the last one came. */
export interface Pace {
  /** Records of the next page. */
  readonly size: number;
  /** Records a second; `null` before a page with records came. */
  readonly rate: number | null;
}

/** What came of asking for a page: so many records in so many milliseconds, or nothing whole. */
export type PageOutcome =
  | { readonly kind: "landed"; readonly records: number; readonly took: number }
  | { readonly kind: "cut" };

/** Records of a page: of one that is asked for again after it was cut, of the very first, and at most. */
export const pageSizes = { fewest: 10, first: 50, most: 500 };

/** The time that a page is to take, in milliseconds: a cut costs no more, and requests are few beside it. */
const aim = 5_000;

/** By how much a page may grow on the one before. */
const growth = 4;

/** Pace before anything was asked for: the first records are soon there on the slowest link. */
export const firstPace: Pace = { size: pageSizes.first, rate: null };

/** Pace after a page. One that was cut or timed out is asked for again with the fewest records; else the size follows the measured rate. */
export function paceAfter({ size, rate }: Pace, outcome: PageOutcome): Pace {
  const { fewest, most } = pageSizes;
  if (outcome.kind === "cut") return { size: fewest, rate };
  const { records, took } = outcome;
  if (records === 0) return { size, rate };
  const measured = records / Math.max(took, 1);
  const wanted = Math.min(Math.floor(measured * aim), growth * size);
  return { size: Math.min(Math.max(wanted, fewest), most), rate: 1_000 * measured };
}
