import { describe, expect, it } from "vitest";
import type { ServiceNews } from "../service-types.ts";
import type { SyncStatus } from "../status-types.ts";
import { createNews } from "./news.ts";

const idle = { phase: "idle", pending: 1, sending: 0, parked: 0, lastError: null } as unknown as SyncStatus;

describe("news", () => {
  it("says that nothing can be kept when the store can't be read, and looks again later", async () => {
    let broken = false;
    const delays: number[] = [];
    const heard: ServiceNews[] = [];
    const news = createNews({
      readStatus: async () => {
        if (broken) throw new Error("The database was deleted.");
        return idle;
      },
      timers: {
        set(delay) {
          delays.push(delay);
          return () => undefined;
        },
      },
      newId: () => "1",
    });
    await news.subscribe((told) => {
      heard.push(told);
    });
    broken = true;
    news.statusChanged();
    await expect.poll(() => heard.at(-1)?.status.phase).toBe("safe-mode");
    expect(heard.at(-1)?.status).toMatchObject({ pending: 1, lastError: "The database was deleted." });
    expect(delays).toEqual([5_000]);
  });

  it.each([
    ["a tenth of a second", idle, 100],
    ["half a second in a first sync", { ...idle, phase: "pulling", firstSync: { complete: false } }, 500],
    ["a tenth of a second in a later one", { ...idle, phase: "pulling", firstSync: { complete: true } }, 100],
    ["as many milliseconds as there are unsent edits", { ...idle, pending: 300 }, 300],
  ])("pauses %s between two tellings", async (_, status, pause) => {
    const delays: number[] = [];
    const news = createNews({
      readStatus: async () => status as SyncStatus,
      timers: { set: (delay) => [() => undefined, delays.push(delay)][0] as () => void },
      newId: () => "1",
    });
    await news.subscribe(() => undefined);
    news.recordsChanged();
    await expect.poll(() => delays).toEqual([pause]);
  });

  it("tells the first change of records at once, whatever was told before, and those that follow later", async () => {
    const timers: (() => void)[] = [];
    const heard: number[] = [];
    const news = createNews({
      readStatus: async () => idle,
      timers: {
        set(_, run) {
          timers.push(run);
          return () => {
            timers.splice(timers.indexOf(run), 1);
          };
        },
      },
      newId: () => "1",
    });
    await news.subscribe(({ changes }) => {
      heard.push(changes);
    });
    news.statusChanged();
    await expect.poll(() => timers.length).toBe(1);
    news.recordsChanged();
    await expect.poll(() => heard).toEqual([0, 0, 1]);
    news.recordsChanged();
    news.recordsChanged();
    await Promise.resolve();
    expect(heard).toEqual([0, 0, 1]);
    expect(timers).toHaveLength(1);
    timers[0]?.();
    await expect.poll(() => heard).toEqual([0, 0, 1, 3]);
  });

  it.each([
    { pending: 0, waits: 100 },
    { pending: 600, waits: 600 },
    { pending: 5_000, waits: 1_000 },
  ])("waits $waits ms before it tells again where $pending are to be sent", async ({ pending, waits }) => {
    const delays: number[] = [];
    const news = createNews({
      readStatus: async () => ({ ...idle, pending }),
      timers: {
        set(delay) {
          delays.push(delay);
          return () => undefined;
        },
      },
      newId: () => "1",
    });
    await news.subscribe(() => undefined);
    news.recordsChanged();
    await expect.poll(() => delays).toEqual([waits]);
  });
});
