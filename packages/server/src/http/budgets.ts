import {
  type Budget,
  type BudgetLimits,
  createBudget,
  createLongReads,
  createLongTexts,
} from "@fieldroll/core";

/** What one request may cost to read where the options of the handler do not say so. */
export const defaultBudget: BudgetLimits = { records: 10_000, bytes: 8 * 1024 * 1024, milliseconds: 500 };

// As it is when the program starts: a test that sets its own clock must not stop requests.
const { setTimeout: later } = globalThis;

/** So many requests at a time look through many records: contract section 8. */
const longReadsAtOnce = 2;

/** Between two parts of the work on long texts, others have the processor for so long, in milliseconds. */
const restFromLongTexts = 30;

/** Makes the budget of each request. It ends when the client goes away, and lets other requests have their turn. */
export function createBudgets(limits: Partial<BudgetLimits> = {}): (request: Request) => Budget {
  const longReads = createLongReads(longReadsAtOnce);
  const longTexts = createLongTexts(() => new Promise((resolve) => void later(resolve, restFromLongTexts)));
  return (request) =>
    createBudget({
      ...defaultBudget,
      ...limits,
      longReads,
      longTexts,
      elapsed: () => performance.now(),
      // Asked for at each look: a request that has no need of its signal does not make one.
      signal: {
        get aborted() {
          return request.signal.aborted;
        },
      },
      turn: () => new Promise((resolve) => void later(resolve, 0)),
    });
}
