import { expect, it } from "vitest";
import { createGate } from "./gate.ts";

/** Tasks that end when a test says so, and the names of those that have begun. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { begun, task, end: (name: string) => ends.get(name)?.() };
}

const behind = { ahead: false };

it("runs as many at once as allowed, the others in their order, and those ahead before them", async () => {
  const gate = createGate({ atOnce: 2, mostWaiting: 2 });
  const { begun, task, end } = tasks();
  const all = ["a", "b", "c", "d"].map((name) => gate.run(task(name), behind));
  expect(gate.run(task("e"), behind)).toBeUndefined();
  all.push(gate.run(task("f"), { ahead: true }));
  expect(begun).toEqual(["a", "b"]);
  for (const name of ["b", "a", "f", "c", "d"]) {
    end(name);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(begun).toEqual(["a", "b", "f", "c", "d"]);
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "f"]);
});

it("gives the place of a task that fails to the next one", async () => {
  const gate = createGate({ atOnce: 1, mostWaiting: 1 });
  const fails = gate.run(async () => {
    throw new Error("broken");
  }, behind);
  const next = gate.run(async () => "next", behind);
  await expect(fails).rejects.toThrow("broken");
  expect(await next).toBe("next");
  expect(await gate.run(async () => "later", behind)).toBe("later");
});
