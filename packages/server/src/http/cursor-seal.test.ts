import { expect, it } from "vitest";
import { createCursorSeal } from "./cursor-seal.ts";

const registry = (secret: string) => ({ secret: async () => secret });

it("opens what it sealed, in any process with the same secret", async () => {
  const text = await createCursorSeal(registry("a")).seal("W1sx");
  expect(await createCursorSeal(registry("a")).open(text)).toEqual({ ok: true, value: "W1sx" });
});

it.each([
  ["a changed cursor", (text: string) => text.replace("W1", "W2")],
  ["a changed code", (text: string) => text.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
  ["a cursor without a code", (text: string) => text.split(".")[0] ?? ""],
  ["a code of another length", (text: string) => `${text}AA`],
  ["nothing", () => ""],
])("refuses %s, and names it", async (_case, change) => {
  const seal = createCursorSeal(registry("a"));
  const opened = await seal.open(change(await seal.seal("W1sx")));
  expect(opened).toMatchObject({
    ok: false,
    problem: { kind: "bad-request", errors: [{ field: "cursor" }] },
  });
});

it("refuses what another deployment sealed", async () => {
  const text = await createCursorSeal(registry("b")).seal("W1sx");
  expect((await createCursorSeal(registry("a")).open(text)).ok).toBe(false);
});

it("asks for the secret once, and again only after a failure", async () => {
  let asked = 0;
  const seal = createCursorSeal({
    secret: async () => {
      asked += 1;
      if (asked === 1) throw new Error("the store is busy");
      return "a";
    },
  });
  await expect(seal.seal("x")).rejects.toThrow("busy");
  const text = await seal.seal("x");
  expect((await seal.open(text)).ok).toBe(true);
  expect(asked).toBe(2);
});
