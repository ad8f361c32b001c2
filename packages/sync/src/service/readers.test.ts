import { describe, expect, it } from "vitest";
import type { Timers } from "../ports.ts";
import { createReaders } from "./readers.ts";

/** Timers that run out when the test says so. */
function handTimers() {
  const running = new Set<() => void>();
  const timers: Timers = {
    set(_, run) {
      running.add(run);
      return () => running.delete(run);
    },
  };
  const runOut = () => {
    for (const run of running) run();
  };
  return { timers, running, runOut };
}

const never = () => new Promise<never>(() => undefined);

describe("those who look something up", () => {
  it("are waited for, whether they find it or not, and nobody is afterwards", async () => {
    const { timers, running } = handTimers();
    const readers = createReaders(timers);
    await readers.answered();
    let end: () => void = () => undefined;
    const slow = readers.counting(
      new Promise<void>((resolve) => {
        end = resolve;
      }),
    );
    const failing = readers.counting(Promise.reject(new Error("There is no room.")));
    const order: string[] = [];
    const waited = readers.answered().then(() => order.push("waited"));
    await expect(failing).rejects.toThrow("There is no room.");
    order.push("failed");
    end();
    await slow;
    await waited;
    expect(order).toEqual(["failed", "waited"]);
    expect(running.size).toBe(0);
    await readers.answered();
  });

  it("are waited for but once, where they wait for ever themselves", async () => {
    const { timers, running, runOut } = handTimers();
    const readers = createReaders(timers);
    void readers.counting(never());
    const waited = readers.answered();
    runOut();
    await waited;
    running.clear();
    await readers.answered();
    expect(running.size).toBe(0);
  });
});
