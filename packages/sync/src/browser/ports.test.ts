import { afterEach, describe, expect, it, vi } from "vitest";
import { toldConnectivity, webLock } from "./ports.ts";
import { privateFile } from "./private-file.ts";

/** A lock manager that gives one lock at a time, in order, as browsers do. */
function lockManager() {
  let tail: Promise<unknown> = Promise.resolve();
  let breakOff: (why: Error) => void = () => undefined;
  const request = (_name: string, { steal = false }: LockOptions, held: () => Promise<void>) => {
    if (steal) breakOff(new DOMException("The lock was stolen.", "AbortError"));
    const hold = () => {
      const broken = new Promise<void>((_, reject) => {
        breakOff = reject;
      });
      return Promise.race([held(), broken]);
    };
    const done = tail.then(hold);
    tail = done.catch(() => undefined);
    return done;
  };
  return { request } as unknown as LockManager;
}

/** Files of an origin; a text is there when its stream is closed, which the disk may keep up. */
function diskOf(closing: readonly Promise<void>[]) {
  const texts: string[] = [];
  let closed = 0;
  const createWritable = async () => {
    let text = "";
    return {
      async write(added: string) {
        text += added;
      },
      async close() {
        await closing[closed++];
        texts.push(text);
      },
    };
  };
  const getFileHandle = async () => ({ createWritable });
  return { texts, storage: { getDirectory: async () => ({ getFileHandle }) } };
}

describe("webLock", () => {
  it("takes the lead from a holder that keeps it, and tells that one", async () => {
    const locks = lockManager();
    const lost = vi.fn();
    await webLock("device", locks).acquire(lost);
    const waiting = vi.fn();
    const release = await webLock("device", locks).take?.(waiting);
    expect(lost).toHaveBeenCalledOnce();
    release?.();
    (await webLock("device", locks).acquire())();
    expect(waiting).not.toHaveBeenCalled();
  });

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

describe("privateFile", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("has the text that was begun last, also where the disk keeps one up that another tab began before", async () => {
    let goOn: () => void = () => undefined;
    const kept = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const disk = diskOf([kept]);
    vi.stubGlobal("navigator", { storage: disk.storage, locks: lockManager() });
    const [older, newer] = [privateFile("unsent").write("older"), privateFile("unsent").write("newer")];
    await new Promise((resolve) => setImmediate(resolve));
    goOn();
    await Promise.all([older, newer]);
    expect(disk.texts).toEqual(["older", "newer"]);
  });

  it("lets the next one write when a text could not be written", async () => {
    const disk = diskOf([Promise.reject(new DOMException("There is no room.", "QuotaExceededError"))]);
    vi.stubGlobal("navigator", { storage: disk.storage, locks: lockManager() });
    const file = privateFile("unsent");
    await expect(file.write("older")).rejects.toThrow("room");
    await file.write("newer");
    expect(disk.texts).toEqual(["newer"]);
  });
});
