import { failure, type Outcome, type Registry, success } from "@fieldroll/core";

/** Makes cursors opaque and tamper-evident: contract section 4. */
export interface CursorSeal {
  /** What a caller gets. The same cursor gives the same text. */
  seal(cursor: string): Promise<string>;
  /** What was sealed; a text that was changed, or that another deployment gave, is a `bad-request`. */
  open(text: string): Promise<Outcome<string>>;
}

interface Keys {
  readonly cipher: CryptoKey;
  readonly nonce: CryptoKey;
}

const nonceLength = 12;

/**
 * Seals by AES-GCM (NIST SP 800-38D), in base64url: a position inside a store counts what a caller may not see, so it can't
 * be read either. The nonce is an HMAC of the cursor, so that a page that is asked for again is the same. Every process on a
 * store has the same keys: a cursor of one is good at each.
 */
export function createCursorSeal(registry: Pick<Registry, "secret">): CursorSeal {
  let held: Promise<Keys> | undefined;
  const keys = () => {
    held ??= loadKeys(registry).catch((error: unknown) => {
      // Asked again at the next cursor: a store that did not answer once may do so then.
      held = undefined;
      throw error;
    });
    return held;
  };
  return {
    async seal(cursor) {
      const { cipher, nonce } = await keys();
      const mark = await crypto.subtle.sign("HMAC", nonce, bytesOf(cursor));
      const iv = new Uint8Array(mark).slice(0, nonceLength);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, cipher, bytesOf(cursor));
      return base64url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
    },
    async open(text) {
      const { cipher } = await keys();
      const cursor = await opened(cipher, fromBase64url(text));
      if (cursor !== undefined) return success(cursor);
      const message = "is not a cursor that this server gave";
      return failure({
        kind: "bad-request",
        detail: `cursor: ${message}. Start again without it.`,
        errors: [{ field: "cursor", code: "invalid_cursor", message }],
      });
    },
  };
}

async function opened(
  cipher: CryptoKey,
  sealed: Uint8Array<ArrayBuffer> | undefined,
): Promise<string | undefined> {
  if (!sealed || sealed.byteLength <= nonceLength) return undefined;
  const [iv, rest] = [sealed.slice(0, nonceLength), sealed.slice(nonceLength)];
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, cipher, rest));
  } catch {
    return undefined;
  }
}

async function loadKeys(registry: Pick<Registry, "secret">): Promise<Keys> {
  const secret = bytesOf(await registry.secret("cursors"));
  const master = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const from = (info: string) => ({
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: bytesOf(info),
  });
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const [cipher, nonce] = await Promise.all([
    crypto.subtle.deriveKey(from("cipher"), master, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]),
    crypto.subtle.deriveKey(from("nonce"), master, hmac, false, ["sign"]),
  ]);
  return { cipher, nonce };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined;
  const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  // Another text for the same bytes would be another cursor for the same page.
  return base64url(bytes) === text ? bytes : undefined;
}
