import { afterEach, expect, it, vi } from "vitest";
import type { createLog } from "./log.ts";
import { withProgress } from "./upkeep.ts";

afterEach(() => vi.useRealTimers());

it("work tells of itself also while no document is done, and no more once it has ended", async () => {
  vi.useFakeTimers();
  const lines: unknown[] = [];
  const log = { info: ({ done }: { done: number }, message: string) => lines.push([done, message]) };
  let end: () => void = () => {};
  const work = withProgress(
    { log: log as unknown as ReturnType<typeof createLog>, message: "verifying" },
    (onProgress) => {
      onProgress(300);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
  );
  await vi.advanceTimersByTimeAsync(16_000);
  end();
  await work;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual([
    [300, "verifying"],
    [300, "still verifying"],
    [300, "still verifying"],
  ]);
});
