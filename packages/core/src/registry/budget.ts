/**
 * What one request may cost to read. All verbs of a view spend from the same budget, so a bundle of searches costs no more than one
 * search. A page whose budget is spent ends early: it may be short or empty while `hasMore` is true, and its cursor goes on from there.
 */
export interface Budget {
  /** Counts records that were read from the store, shown or not. */
  spendRecords(count: number): void;
  /** Counts bytes of records that are put into the answer. */
  spendBytes(count: number): void;
  /** How many bytes may still be read or answered; at least 0. */
  bytesLeft(): number;
  /** Whether reading stops now: records, bytes or time are spent, or the caller is gone. */
  isSpent(): boolean;
}

/** The limits of a budget. */
export interface BudgetLimits {
  readonly records: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export interface BudgetOptions extends BudgetLimits {
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number;
  /** Whether nobody waits for the answer any more, such as an AbortSignal of the request. */
  readonly signal?: { readonly aborted: boolean };
}

/** Makes the budget of one request; its time begins now. */
export function createBudget({ records, bytes, milliseconds, elapsed, signal }: BudgetOptions): Budget {
  const end = elapsed() + milliseconds;
  let recordsLeft = records;
  let left = bytes;
  return {
    spendRecords(count) {
      recordsLeft -= count;
    },
    spendBytes(count) {
      left -= count;
    },
    bytesLeft: () => Math.max(0, left),
    isSpent: () => recordsLeft <= 0 || left <= 0 || signal?.aborted === true || elapsed() >= end,
  };
}

/** The budget of a program that embeds the registry: it reads as much as it asks for. */
export const unlimited: Budget = {
  spendRecords() {},
  spendBytes() {},
  bytesLeft: () => Number.POSITIVE_INFINITY,
  isSpent: () => false,
};
