import {
  type Commit,
  isJsonObject,
  type JsonObject,
  plainKind,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { decideRotation, type Rotation, type RotationRule } from "./key-rotation.ts";

const collection = "signing-key";

/** The documents of signing keys, for who looks after the store. */
export const signingKeyKind = plainKind(collection);

/** Signs access tokens: ECDSA on P-256 (RFC 7518 section 3.4). */
export const signingAlgorithm = "ES256";

/** The public half of a signing key, as a JSON Web Key Set tells it (RFC 7517). */
export interface PublicKey {
  readonly kty: "EC";
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  /** The beginning of the thumbprint (RFC 7638): enough to choose among a registry's keys, in a token that every request carries. */
  readonly kid: string;
  readonly alg: typeof signingAlgorithm;
  readonly use: "sig";
}

/** A key pair at work. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly published: PublicKey;
}

export type KeyRule = Omit<RotationRule, "now"> & { readonly clock: () => Date };

/**
 * Reads the signing keys of a store, oldest first, and makes, and lets go of, those that are due. Kept as documents, so that
 * tokens outlive a restart and every process on the store accepts them.
 */
export async function loadSigningKeys(store: Store, rule: KeyRule): Promise<readonly SigningKey[]> {
  let documents = await readKeys(store);
  const now = rule.clock().getTime();
  const rotation = decideRotation(documents.map(ageOf), { ...rule, now });
  if (rotation.make || rotation.remove.length > 0) {
    await store.commit(await rotationCommit(documents, rotation, now));
    // Of several processes that find a key due one makes it; the others find it here.
    documents = await readKeys(store);
  }
  if (documents.length === 0) throw new Error("The store lost its signing keys while they were read");
  return Promise.all(documents.map(importPair));
}

/** Makes a new signing key now, such as when the present one may have become known. */
export async function rotateSigningKeys(store: Store, clock: () => Date): Promise<void> {
  const documents = await readKeys(store);
  await store.commit(await rotationCommit(documents, { make: true, remove: [] }, clock().getTime()));
}

async function readKeys(store: Store): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = [];
  for (let after: { value: string | null; key: string } | undefined; ; ) {
    const page = await store.query({ collection, limit: 100, ...(after && { after }) });
    documents.push(...page.documents);
    if (!page.next) return documents;
    after = page.next;
  }
}

function ageOf({ key, body }: StoredDocument) {
  return { key, createdAt: Date.parse(isJsonObject(body) ? String(body.createdAt) : "") };
}

async function rotationCommit(
  documents: readonly StoredDocument[],
  { make, remove }: Rotation,
  now: number,
): Promise<Commit> {
  const gone = remove.map((key) => ({ collection, key }));
  if (!make) return { remove: gone };
  const number = Number(documents.at(-1)?.key ?? 0) + 1;
  const place = { collection, key: String(number).padStart(4, "0") };
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = (await exportJWK(privateKey)) as JsonObject;
  const body = { createdAt: new Date(now).toISOString(), jwk: { ...jwk } };
  return {
    expect: [{ kind: "absent", ...place }],
    put: [{ ...place, version: 1, body }],
    remove: gone,
  };
}

async function importPair({ key, body }: StoredDocument): Promise<SigningKey> {
  const { kty, crv, x, y, d } = isJsonObject(body) && isJsonObject(body.jwk) ? body.jwk : {};
  const parts = [crv, x, y, d];
  if (kty !== "EC" || !parts.every((part) => typeof part === "string")) {
    throw new Error(`The signing key ${key} is damaged`);
  }
  const shared = { kty, crv: String(crv), x: String(x), y: String(y) } as const;
  const id = (await calculateJwkThumbprint(shared)).slice(0, 8);
  return {
    id,
    privateKey: await imported({ ...shared, d: String(d) }),
    publicKey: await imported(shared),
    published: { ...shared, kid: id, alg: signingAlgorithm, use: "sig" },
  };
}

async function imported(jwk: Record<string, string>): Promise<CryptoKey> {
  const key = await importJWK(jwk, signingAlgorithm);
  if (key instanceof Uint8Array) throw new Error("A signing key must be a pair of keys");
  return key;
}
