import { failure, type Idempotency, type Outcome, success } from "@fieldroll/core";

/**
 * Reads `Idempotency-Key` (contract section 5). The fingerprint is the SHA-256 of method, target and body, in hex.
 *
 * @param request.target what the request is about, written the same way however its path was encoded
 */
export async function readIdempotency(request: {
  readonly key: string | null;
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
}): Promise<Outcome<Idempotency | undefined>> {
  const { key, method, target, body } = request;
  if (key === null) return success(undefined);
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    return failure({
      kind: "bad-request",
      detail: "The header Idempotency-Key must be 1 to 255 visible ASCII characters. A UUID does well.",
      errors: [
        { field: "Idempotency-Key", code: "invalid_header", message: "1 to 255 visible ASCII characters" },
      ],
    });
  }
  return success({ key, fingerprint: await fingerprintOf({ method, target, body }) });
}

/** The SHA-256 of a request's method, target and body, in hex. */
export async function fingerprintOf(request: {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
}): Promise<string> {
  const { method, target, body } = request;
  const head = new TextEncoder().encode(`${method}\n${target}\n`);
  const whole = new Uint8Array(head.byteLength + body.byteLength);
  whole.set(head);
  whole.set(body, head.byteLength);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
