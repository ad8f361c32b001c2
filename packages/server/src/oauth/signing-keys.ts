import { isJsonObject, type Store, type StoredDocument } from "@fieldroll/core";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";

const collection = "signing-key";
const algorithm = "ES256";

/** Keys that sign and verify access tokens. The newest signs; every one kept still verifies. */
export interface SigningKeys {
  readonly newest: { readonly id: string; readonly privateKey: CryptoKey };
  verifier(id: string): CryptoKey | undefined;
}

/**
 * Reads the signing keys of a store, and makes the first one when there is none. Kept as documents, so that tokens
 * outlive a restart and every process on the store accepts them.
 */
export async function loadSigningKeys(
  store: Store,
  context: { readonly clock: () => Date },
): Promise<SigningKeys> {
  const found = await readKeys(store);
  if (found.length > 0) return importKeys(found);
  await makeFirstKey(store, context);
  return importKeys(await readKeys(store));
}

async function readKeys(store: Store): Promise<readonly StoredDocument[]> {
  const page = await store.query({ collection, limit: 100 });
  return page.documents;
}

/** Of several processes that start at once on an empty store one makes the key; the others find it. */
async function makeFirstKey(store: Store, { clock }: { readonly clock: () => Date }): Promise<void> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const body = { createdAt: clock().toISOString(), jwk: { ...(await exportJWK(privateKey)) } as never };
  const key = { collection, key: "0001" };
  await store.commit({ expect: [{ kind: "absent", ...key }], put: [{ ...key, version: 1, body }] });
}

async function importKeys(documents: readonly StoredDocument[]): Promise<SigningKeys> {
  const keys = await Promise.all(documents.map(importPair));
  const newest = keys.at(-1);
  if (!newest) throw new Error("The store lost its signing keys while they were read");
  const verifiers = new Map(keys.map(({ id, publicKey }) => [id, publicKey]));
  return { newest, verifier: (id) => verifiers.get(id) };
}

async function importPair({ key, body }: StoredDocument) {
  if (!isJsonObject(body) || !isJsonObject(body.jwk)) throw new Error(`The signing key ${key} is damaged`);
  const { d: _, ...publicPart } = body.jwk;
  return { id: key, privateKey: await imported(body.jwk), publicKey: await imported(publicPart) };
}

async function imported(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm);
  if (key instanceof Uint8Array) throw new Error("A signing key must be a pair of keys");
  return key;
}
