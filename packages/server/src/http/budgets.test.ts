import { describe, expect, it } from "vitest";
import { createBudgets, defaultBudget } from "./budgets.ts";

describe("the budget of a request", () => {
  it("has what the options say, and the defaults for the rest", () => {
    const budget = createBudgets({ records: 5 })(new Request("http://localhost"));
    expect([budget.recordsLeft(), budget.bytesLeft()]).toEqual([5, defaultBudget.bytes]);
  });

  it("is spent once the client goes away", () => {
    const client = new AbortController();
    const budget = createBudgets()(new Request("http://localhost", { signal: client.signal }));
    expect(budget.isSpent()).toBe(false);
    client.abort();
    expect(budget.isSpent()).toBe(true);
  });

  it("lets others have their turn", async () => {
    const budget = createBudgets()(new Request("http://localhost"));
    const until = performance.now() + 12;
    while (performance.now() < until);
    let others = 0;
    setTimeout(() => {
      others += 1;
    }, 0);
    await budget.pause();
    expect(others).toBe(1);
  });
});
