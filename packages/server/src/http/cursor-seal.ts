import { failure, type Outcome, type Registry, success } from "@fieldroll/core";
import type { Cipher, OpenCipher } from "./cipher.ts";

/** Makes cursors opaque and tamper-evident: contract section 4. */
export interface CursorSeal {
  /** What a caller gets. The same cursor gives the same text. */
  seal(cursor: string): Promise<string>;
  /** What was sealed; a text that was changed, or that another deployment gave, is a `bad-request`. */
  open(text: string): Promise<Outcome<string>>;
}

/**
 * Seals in base64url: a position inside a store counts what a caller may not see, so it can't be read either. Every process on a
 * store has the same keys: a cursor of one is good at each.
 */
export function createCursorSeal(registry: Pick<Registry, "secret">, openCipher: OpenCipher): CursorSeal {
  let held: Promise<Cipher> | undefined;
  const loadCipher = async () => openCipher(bytesOf(await registry.secret("cursors")));
  const cipher = () => {
    held ??= loadCipher().catch((error: unknown) => {
      // Asked again at the next cursor: a store that did not answer once may do so then.
      held = undefined;
      throw error;
    });
    return held;
  };
  return {
    seal: async (cursor) => base64url(await (await cipher()).seal(bytesOf(padded(cursor)))),
    async open(text) {
      const sealed = fromBase64url(text);
      const plain = sealed && (await (await cipher()).open(sealed));
      if (plain !== undefined) return success(new TextDecoder().decode(plain).trimEnd());
      const message = "is not a cursor that this server gave";
      return failure({
        kind: "bad-request",
        detail: `cursor: ${message}. Start again without it.`,
        errors: [{ field: "cursor", code: "invalid_cursor", message }],
      });
    },
  };
}

/** The length of a cursor tells how far on its place is, so it is filled up with blanks, which no cursor ends with. */
function padded(cursor: string): string {
  return cursor.padEnd(Math.ceil(cursor.length / 64) * 64);
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
