import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { keyNames, nonceLength, type OpenCipher, tagLength } from "../http/cipher.ts";

/** The cipher of Node: it answers at once, and waits for no thread that hashes secrets. */
export const nodeCipher: OpenCipher = (secret) => {
  const keyOf = (name: string) => new Uint8Array(hkdfSync("sha256", secret, "", name, 32));
  const [key, nonceKey] = [keyOf(keyNames.cipher), keyOf(keyNames.nonce)];
  return {
    seal(plain) {
      const iv = createHmac("sha256", nonceKey).update(plain).digest().subarray(0, nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const end = sealed.length - tagLength;
      if (end < nonceLength) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceLength));
      decipher.setAuthTag(sealed.subarray(end));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceLength, end)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
};
