import { describe, expect, it } from "vitest";
import type { ServiceNews } from "../service-types.ts";
import type { SyncStatus } from "../types.ts";
import { createNews } from "./news.ts";

const idle = { phase: "idle", pending: 1, lastError: null } as unknown as SyncStatus;

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
});
