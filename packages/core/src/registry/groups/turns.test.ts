import { describe, expect, it } from "vitest";
import { createTurns } from "./turns.ts";

/** Work that ends when it is told to. */
function work(log: string[], name: string) {
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { run, end };
}

describe("turns", () => {
  it("are taken one after the other at one name, and at once at different ones", async () => {
    const turns = createTurns();
    const log: string[] = [];
    const [a, b, c] = [work(log, "a"), work(log, "b"), work(log, "c")];
    const done = [turns.take(["x"], a.run), turns.take(["x", "y"], b.run), turns.take(["z"], c.run)];
    c.end();
    expect(await done[2]).toBe("c");
    expect(log).toEqual(["a begins", "c begins", "c ends"]);
    b.end();
    a.end();
    expect(await Promise.all(done)).toEqual(["a", "b", "c"]);
    expect(log.slice(3)).toEqual(["a ends", "b begins", "b ends"]);
  });

  it("go on after work that failed", async () => {
    const turns = createTurns();
    const failed = turns.take(["x"], () => Promise.reject(new Error("no")));
    const next = turns.take(["x"], async () => "done");
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("done");
  });
});
