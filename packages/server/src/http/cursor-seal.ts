import { failure, type Outcome, type Registry, success } from "@fieldroll/core";

/** Makes cursors tamper-evident: contract section 4. */
export interface CursorSeal {
  /** What a caller gets: `<cursor>.<code>`. */
  seal(cursor: string): Promise<string>;
  /** What was sealed; a cursor that was changed, or that another deployment gave, is a `bad-request`. */
  open(text: string): Promise<Outcome<string>>;
}

const algorithm = { name: "HMAC", hash: "SHA-256" } as const;

/**
 * Seals with a message authentication code (HMAC-SHA-256, RFC 2104) in base64url. Every process on a store has the same key,
 * so that a cursor of one is good at each.
 */
export function createCursorSeal(registry: Pick<Registry, "secret">): CursorSeal {
  let held: Promise<CryptoKey> | undefined;
  const key = () => {
    held ??= loadKey(registry).catch((error: unknown) => {
      // Asked again at the next cursor: a store that did not answer once may do so then.
      held = undefined;
      throw error;
    });
    return held;
  };
  return {
    async seal(cursor) {
      const code = await crypto.subtle.sign(algorithm, await key(), bytesOf(cursor));
      return `${cursor}.${base64url(new Uint8Array(code))}`;
    },
    async open(text) {
      const dot = text.lastIndexOf(".");
      const code = dot === -1 ? undefined : fromBase64url(text.slice(dot + 1));
      const cursor = text.slice(0, dot);
      // WebCrypto compares in constant time.
      if (code && (await crypto.subtle.verify(algorithm, await key(), code, bytesOf(cursor)))) {
        return success(cursor);
      }
      const message = "is not a cursor that this server gave";
      return failure({
        kind: "bad-request",
        detail: `cursor: ${message}. Start again without it.`,
        errors: [{ field: "cursor", code: "invalid_cursor", message }],
      });
    },
  };
}

async function loadKey(registry: Pick<Registry, "secret">): Promise<CryptoKey> {
  const secret = await registry.secret("cursors");
  return crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign", "verify"]);
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
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}
