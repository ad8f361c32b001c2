import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { optional, refuseWrongOptions } from "@fieldroll/core";
import type { SecretHashing } from "../oauth/clients.ts";

const keyBytes = 32;

/**
 * Hashes secrets with scrypt (RFC 7914) into `scrypt$<cost>$<salt>$<key>`, base64url.
 *
 * @param options.cost The parameter N, a power of two. Default: 16384, some 40 ms; tests may take 2.
 */
export function scryptSecrets(options: { readonly cost?: number } = {}): SecretHashing {
  refuseWrongOptions("scryptSecrets", options, {
    cost: optional([isCost, "a power of two, such as 16384"]),
  });
  const { cost = 16384 } = options ?? {};
  return {
    async hash(secret) {
      const salt = randomBytes(16);
      const key = await derive(secret, { salt, cost });
      return ["scrypt", cost, salt.toString("base64url"), key.toString("base64url")].join("$");
    },
    async verify(secret, hash) {
      const [, storedCost, salt = "", key = ""] = /^scrypt\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash) ?? [];
      if (storedCost === undefined) return false;
      const derived = await derive(secret, {
        salt: Buffer.from(salt, "base64url"),
        cost: Number(storedCost),
      });
      const stored = Buffer.from(key, "base64url");
      return stored.length === derived.length && timingSafeEqual(stored, derived);
    },
  };
}

function isCost(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) > 1 && Number.isInteger(Math.log2(Number(given)));
}

function derive(
  secret: string,
  { salt, cost }: { readonly salt: Buffer; readonly cost: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, { N: cost, r: 8, p: 1 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
