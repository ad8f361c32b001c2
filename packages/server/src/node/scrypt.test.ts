import { expect, it } from "vitest";
import { scryptSecrets } from "./scrypt.ts";

const secrets = scryptSecrets({ cost: 2 });

it("recognises the secret it hashed and no other", async () => {
  const hash = await secrets.hash("walk house to house");
  expect(await secrets.verify("walk house to house", hash)).toBe(true);
  expect(await secrets.verify("walk house to houses", hash)).toBe(false);
});

it("salts: the same secret hashes differently each time", async () => {
  expect(await secrets.hash("a")).not.toBe(await secrets.hash("a"));
});

it("recognises hashes of another cost", async () => {
  expect(await scryptSecrets({ cost: 4 }).verify("a", await secrets.hash("a"))).toBe(true);
});

it.each(["", "a", "scrypt$2$x", "bcrypt$2$AA$AA"])("recognises nothing in the hash %j", async (hash) => {
  expect(await secrets.verify("a", hash)).toBe(false);
});
