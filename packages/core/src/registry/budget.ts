/**
 * What one request may cost to read. All verbs of a view spend from the same budget, so a bundle of searches costs no more than one
 * search. A page whose budget is spent ends early: it may be short or empty while `hasMore` is true, and its cursor goes on from there.
 */
export interface Budget {
  /** Counts records that were read from the store, shown or not. */
  spendRecords(count: number): void;
  /** Counts bytes of records that are put into the answer. */
  spendBytes(count: number): void;
  /** How many records may still be read; 0 where the caller is gone. */
  recordsLeft(): number;
  /** How many bytes may still be answered; at least 0. */
  bytesLeft(): number;
  /** Whether reading stops now: records, bytes or time are spent, or the caller is gone. */
  isSpent(): boolean;
  /** Between two chunks of work: lets others have their turn where this request has kept them waiting for long enough. */
  pause(): Promise<void>;
}

/** The limits of a budget. Milliseconds are those of the request itself: time that others had in a pause does not count. */
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
  /** Resolves once others had their turn, such as in the next turn of the event loop. Default: at once. */
  readonly turn?: () => Promise<void>;
}

/** A request keeps others waiting for so long at most, in milliseconds, apart from the chunk that it has begun. */
const longestStretch = 10;

/** Makes the budget of one request; its time begins now. */
export function createBudget({ records, bytes, milliseconds, elapsed, signal, turn }: BudgetOptions): Budget {
  let end = elapsed() + milliseconds;
  let since = elapsed();
  let unread = records;
  let unanswered = bytes;
  const recordsLeft = () => (signal?.aborted ? 0 : Math.max(0, unread));
  return {
    spendRecords(count) {
      unread -= count;
    },
    spendBytes(count) {
      unanswered -= count;
    },
    recordsLeft,
    bytesLeft: () => Math.max(0, unanswered),
    isSpent: () => recordsLeft() === 0 || unanswered <= 0 || elapsed() >= end,
    async pause() {
      const before = elapsed();
      if (!turn || before - since < longestStretch) return;
      await turn();
      since = elapsed();
      end += since - before;
    },
  };
}

/** The budget of a program that embeds the registry: it reads as much as it asks for. */
export const unlimited: Budget = {
  spendRecords() {},
  spendBytes() {},
  recordsLeft: () => Number.POSITIVE_INFINITY,
  bytesLeft: () => Number.POSITIVE_INFINITY,
  isSpent: () => false,
  async pause() {},
};
