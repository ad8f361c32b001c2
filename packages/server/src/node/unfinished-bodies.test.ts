import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArrivingRequest } from "./arriving-request.ts";
import { type UnfinishedBodies, watchBodies } from "./unfinished-bodies.ts";

const second = 1000;
let given: string[] = [];
let names: Map<ArrivingRequest, string>;
let bodies: UnfinishedBodies;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  given = [];
  names = new Map();
  bodies = watchBodies({ bytes: 100_000, milliseconds: 20 * second }, (request, why) => {
    given.push(`${names.get(request)} ${why}`);
  });
});
afterEach(() => {
  bodies.stop();
  vi.useRealTimers();
});

/** A request that its handler reads. */
async function arriving(name: string, { isRead = true } = {}): Promise<ArrivingRequest> {
  const request = new ArrivingRequest(new Socket());
  names.set(request, name);
  bodies.add(request);
  if (isRead) request.on("data", () => {});
  await new Promise((resolve) => setImmediate(resolve));
  return request;
}

const bytes = (count: number) => Buffer.alloc(count);

describe("memory", () => {
  it("is taken from the body that has held most for longest", async () => {
    const old = await arriving("old");
    old.push(bytes(40_000));
    vi.advanceTimersByTime(10);
    const small = await arriving("small and old");
    small.push(bytes(10));
    vi.advanceTimersByTime(second);
    const recent = await arriving("recent");
    recent.push(bytes(50_000));
    expect(given).toEqual([]);
    (await arriving("newest")).push(bytes(40_000));
    expect(given).toEqual(["old crowded"]);
  });

  it("is free again after a body that is all there", async () => {
    for (const name of ["a", "b", "c", "d"]) {
      const request = await arriving(name);
      request.push(bytes(60_000));
      request.push(null);
    }
    expect(given).toEqual([]);
  });

  it("is taken by the number of chunks as well as by their bytes", async () => {
    const request = await arriving("of single bytes");
    for (let sent = 0; sent < 300; sent++) request.push(bytes(1));
    expect(given).toEqual(["of single bytes crowded"]);
  });

  it("is not enough for a body that is larger", async () => {
    (await arriving("large")).push(bytes(100_001));
    expect(given).toEqual(["large crowded"]);
  });
});

describe("a body that comes", () => {
  const sendFor = (request: ArrivingRequest, seconds: number, each: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      request.push(bytes(each));
      vi.advanceTimersByTime(second);
    }
  };

  it.each([
    ["at 600 bytes a second is waited for", 600, []],
    ["at 400 bytes a second is given up", 400, ["slow stalled"]],
    ["not at all is given up", 0, ["slow stalled"]],
  ])("%s", async (_pace, each, expected) => {
    const request = await arriving("slow");
    sendFor(request, 45, each);
    expect(given).toEqual(expected);
  });

  it("fast and then stands still is given up", async () => {
    sendFor(await arriving("fast once"), 1, 50_000);
    vi.advanceTimersByTime(60 * second);
    expect(given).toEqual(["fast once stalled"]);
  });

  it("is waited for as long as nobody reads it", async () => {
    sendFor(await arriving("unread", { isRead: false }), 1, 10);
    vi.advanceTimersByTime(60 * second);
    expect(given).toEqual([]);
  });
});
