import { describe, expect, it } from "vitest";
import { nodeCipher } from "../node/cipher.ts";
import { createCursorSeal } from "./cursor-seal.ts";
import { webCipher } from "./web-cipher.ts";

const registry = (secret: string) => ({ secret: async () => secret });

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function nextOf(character: string): string {
  return alphabet[(alphabet.indexOf(character) + 1) % 64] ?? "A";
}

const ciphers = [
  ["WebCrypto", webCipher],
  ["Node", nodeCipher],
] as const;

describe.each(ciphers)("a seal by the cipher of %s", (_host, cipher) => {
  it("shows nothing of the cursor, and the same text for the same one", async () => {
    const seal = createCursorSeal(registry("a"), cipher);
    const [text, again, other] = await Promise.all([seal.seal("W1sx"), seal.seal("W1sx"), seal.seal("W1sy")]);
    expect(again).toBe(text);
    expect(atob(text.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("W1s");
    expect(other.slice(0, 20)).not.toBe(text.slice(0, 20));
  });

  it("opens what it sealed, in any process with the same secret", async () => {
    const text = await createCursorSeal(registry("a"), cipher).seal("W1sx");
    expect(await createCursorSeal(registry("a"), cipher).open(text)).toEqual({ ok: true, value: "W1sx" });
  });

  it.each([
    ["a changed beginning", (text: string) => text.replace(/^./, (first) => (first === "A" ? "E" : "A"))],
    ["a changed end", (text: string) => text.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["other unused bits at the end", (text: string) => text.replace(/.$/, nextOf)],
    ["a beginning alone", (text: string) => text.slice(0, 16)],
    ["more at the end", (text: string) => `${text}AA`],
    ["what it sealed, unsealed", () => "W1sx"],
    ["nothing", () => ""],
  ])("refuses %s, and names it", async (_case, change) => {
    const seal = createCursorSeal(registry("a"), cipher);
    const opened = await seal.open(change(await seal.seal("W1sx")));
    expect(opened).toMatchObject({
      ok: false,
      problem: { kind: "bad-request", errors: [{ field: "cursor" }] },
    });
  });

  it("refuses what another deployment sealed", async () => {
    const text = await createCursorSeal(registry("b"), cipher).seal("W1sx");
    expect((await createCursorSeal(registry("a"), cipher).open(text)).ok).toBe(false);
  });

  it("asks for the secret once, and again only after a failure", async () => {
    let asked = 0;
    const seal = createCursorSeal(
      {
        secret: async () => {
          asked += 1;
          if (asked === 1) throw new Error("the store is busy");
          return "a";
        },
      },
      cipher,
    );
    await expect(seal.seal("x")).rejects.toThrow("busy");
    const text = await seal.seal("x");
    expect((await seal.open(text)).ok).toBe(true);
    expect(asked).toBe(2);
  });
});

it.each([
  [webCipher, nodeCipher],
  [nodeCipher, webCipher],
] as const)("opens by one cipher what another sealed", async (one, other) => {
  const [text, same] = await Promise.all(
    [one, other].map((cipher) => createCursorSeal(registry("a"), cipher).seal("W1sx")),
  );
  expect(same).toBe(text);
  expect(await createCursorSeal(registry("a"), other).open(text ?? "")).toEqual({
    ok: true,
    value: "W1sx",
  });
});
