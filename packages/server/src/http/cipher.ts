/**
 * Authenticated encryption: AES-256-GCM (NIST SP 800-38D) with a nonce of 12 bytes before it and its tag after it. The nonce is
 * the beginning of an HMAC-SHA-256 of the plain bytes, so that the same bytes give the same text.
 */
export interface Cipher {
  seal(plain: Uint8Array<ArrayBuffer>): Uint8Array | Promise<Uint8Array>;
  /** The plain bytes; `undefined` for what this cipher did not seal. */
  open(sealed: Uint8Array<ArrayBuffer>): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Makes a cipher whose two keys are derived from a secret by HKDF-SHA-256 (RFC 5869), without salt, for the names below. */
export type OpenCipher = (secret: Uint8Array<ArrayBuffer>) => Cipher | Promise<Cipher>;

export const keyNames = { cipher: "cipher", nonce: "nonce" } as const;
export const nonceLength = 12;
export const tagLength = 16;
