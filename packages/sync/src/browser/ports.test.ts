import { describe, expect, it } from "vitest";
import { toldConnectivity, webLock } from "./ports.ts";

/** A lock manager that gives one lock at a time, in order, as browsers do. */
function lockManager() {
  let tail: Promise<unknown> = Promise.resolve();
  const request = (_name: string, held: () => Promise<void>) => {
    const done = tail.then(held);
    tail = done.catch(() => undefined);
    return done;
  };
  return { request } as unknown as LockManager;
}

describe("webLock", () => {
  it("gives the lead to one at a time, and to the next when it is given back", async () => {
    const locks = lockManager();
    const order: string[] = [];
    const release = await webLock("device", locks).acquire();
    const next = webLock("device", locks)
      .acquire()
      .then((give) => {
        order.push("second");
        give();
      });
    await Promise.resolve();
    order.push("first gives back");
    release();
    await next;
    expect(order).toEqual(["first gives back", "second"]);
  });
});

describe("toldConnectivity", () => {
  it("tells a change once, and nothing when nothing changed", () => {
    const connectivity = toldConnectivity(true);
    const heard: boolean[] = [];
    const end = connectivity.subscribe((online) => heard.push(online));
    connectivity.set(true, false);
    connectivity.set(false, false);
    connectivity.set(false, false);
    connectivity.set(false, true);
    expect(connectivity.metered).toBe(true);
    end();
    connectivity.set(true, true);
    expect([heard, connectivity.online]).toEqual([[false, false], true]);
  });
});
