import type { Json } from "@fieldroll/core";

/** A file that says nothing without its passphrase: AES-256-GCM under a key that PBKDF2 makes of it (RFC 8018, NIST SP 800-38D). */
interface SealedFile {
  readonly format: typeof format;
  readonly iterations: number;
  /** Base64, 16 bytes. */
  readonly salt: string;
  /** Base64, 12 bytes. */
  readonly iv: string;
  /** Base64. */
  readonly data: string;
}

const format = "fieldroll-unsent-1";

/** As OWASP asks for PBKDF2 with SHA-256 (Password Storage Cheat Sheet, 2023). */
const iterations = 600_000;

/** Seals a value into the text of a file. @param bytes so many that nobody can foretell */
export async function sealedText(
  value: Json,
  passphrase: string,
  bytes: (count: number) => Uint8Array<ArrayBuffer>,
): Promise<string> {
  const [salt, iv] = [bytes(16), bytes(12)];
  const key = await keyOf(passphrase, salt, iterations);
  const text = new TextEncoder().encode(JSON.stringify(value));
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text));
  const file: SealedFile = { format, iterations, salt: base64(salt), iv: base64(iv), data: base64(data) };
  return JSON.stringify(file);
}

/** Opens the text of a file; `not-a-file` for what is none, `wrong` for another passphrase, or a file that was changed. */
export async function openedText(
  text: string,
  passphrase: string,
): Promise<{ readonly kind: "opened"; readonly value: unknown } | { readonly kind: "not-a-file" | "wrong" }> {
  const file = fileIn(text);
  if (!file) return { kind: "not-a-file" };
  try {
    const key = await keyOf(passphrase, bytesOf(file.salt), file.iterations);
    const data = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: bytesOf(file.iv) },
      key,
      bytesOf(file.data),
    );
    return { kind: "opened", value: JSON.parse(new TextDecoder().decode(data)) };
  } catch {
    return { kind: "wrong" };
  }
}

/** More rounds than a device does in a minute are nobody's file. */
const mostIterations = 10_000_000;

function fileIn(text: string): SealedFile | undefined {
  try {
    const file = JSON.parse(text) as Partial<SealedFile> | null;
    const { iterations: rounds = 0, salt, iv, data } = file ?? {};
    const whole = [salt, iv, data].every((part) => typeof part === "string");
    const known =
      file?.format === format && Number.isInteger(rounds) && rounds > 0 && rounds <= mostIterations;
    return known && whole ? (file as SealedFile) : undefined;
  } catch {
    return undefined;
  }
}

async function keyOf(passphrase: string, salt: BufferSource, rounds: number): Promise<CryptoKey> {
  const text = new TextEncoder().encode(passphrase.normalize("NFKC"));
  const raw = await crypto.subtle.importKey("raw", text, "PBKDF2", false, ["deriveKey"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  return crypto.subtle.deriveKey(how, raw, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
