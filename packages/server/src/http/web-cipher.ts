import { keyNames, nonceLength, type OpenCipher } from "./cipher.ts";

/** The cipher of any host, by WebCrypto. */
export const webCipher: OpenCipher = async (secret) => {
  const { cipher, nonce } = await loadKeys(secret);
  return {
    async seal(plain) {
      const mark = await crypto.subtle.sign("HMAC", nonce, plain);
      const iv = new Uint8Array(mark).slice(0, nonceLength);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, cipher, plain);
      return new Uint8Array([...iv, ...new Uint8Array(sealed)]);
    },
    async open(sealed) {
      const [iv, rest] = [sealed.slice(0, nonceLength), sealed.slice(nonceLength)];
      try {
        return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, cipher, rest));
      } catch {
        return undefined;
      }
    },
  };
};

async function loadKeys(secret: Uint8Array<ArrayBuffer>) {
  const master = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const from = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: new TextEncoder().encode(info),
  });
  const aes = { name: "AES-GCM", length: 256 };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const [cipher, nonce] = await Promise.all([
    crypto.subtle.deriveKey(from(keyNames.cipher), master, aes, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(from(keyNames.nonce), master, hmac, false, ["sign"]),
  ]);
  return { cipher, nonce };
}
