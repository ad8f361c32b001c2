import type { Outcome } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import type { Observable } from "../types.ts";
import { rereadOn } from "./reading.ts";

function changes() {
  const listeners = new Set<(value: number) => void>();
  const observable: Observable<number> = {
    current: 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    observable,
    fire: () => {
      for (const listener of listeners) listener(1);
    },
    count: () => listeners.size,
  };
}

/** A read whose answers the test gives by hand. */
function answers() {
  const waiting: ((outcome: Outcome<string>) => void)[] = [];
  const give = async (outcome: Outcome<string>) => {
    waiting.shift()?.(outcome);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    read: () => new Promise<Outcome<string>>((resolve) => waiting.push(resolve)),
    give,
    waiting: () => waiting.length,
  };
}

describe("rereadOn", () => {
  it("does not read before someone listens, and lets go when nobody does", () => {
    const { observable, count } = changes();
    const source = answers();
    const reading = rereadOn(observable, source.read);
    expect(source.waiting()).toBe(0);
    const end = reading.subscribe(() => {});
    expect([source.waiting(), count()]).toEqual([1, 1]);
    end();
    expect(count()).toBe(0);
  });

  it("keeps the last value while it reads again", async () => {
    const { observable, fire } = changes();
    const source = answers();
    const reading = rereadOn(observable, source.read);
    reading.subscribe(() => {});
    expect(reading.current()).toEqual({ state: "loading" });
    await source.give({ ok: true, value: "first" });
    fire();
    expect(reading.current()).toEqual({ state: "ready", value: "first" });
    await source.give({ ok: true, value: "second" });
    expect(reading.current()).toEqual({ state: "ready", value: "second" });
  });

  it("answers many changes during one read with one more read", async () => {
    const { observable, fire } = changes();
    const source = answers();
    rereadOn(observable, source.read).subscribe(() => {});
    fire();
    fire();
    fire();
    expect(source.waiting()).toBe(1);
    await source.give({ ok: true, value: "first" });
    expect(source.waiting()).toBe(1);
    await source.give({ ok: true, value: "second" });
    expect(source.waiting()).toBe(0);
  });

  it("tells a problem, and a thrown error as a problem", async () => {
    const { observable } = changes();
    const refused = answers();
    const reading = rereadOn(observable, refused.read);
    reading.subscribe(() => {});
    await refused.give({ ok: false, problem: { kind: "not-found", detail: "no such record" } });
    expect(reading.current()).toMatchObject({ state: "failed", problem: { kind: "not-found" } });

    const broken = rereadOn(observable, () => Promise.reject(new Error("the worker is gone")));
    const told = new Promise<void>((resolve) => broken.subscribe(() => resolve()));
    await told;
    expect(broken.current()).toMatchObject({ problem: { kind: "internal", detail: "the worker is gone" } });
  });
});
