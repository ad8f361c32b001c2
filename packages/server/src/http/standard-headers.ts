import type { Answer } from "./answer.ts";

/** The version of the interface, on every answer: contract section 1. */
export const apiVersion = "2.0";

type Headers = Readonly<Record<string, string>>;

const security: Headers = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** For a year after an answer, browsers reach the server under HTTPS only (RFC 6797). */
const httpsOnly: Headers = { "Strict-Transport-Security": "max-age=31536000" };

/** Headers of every answer to a request that arrived at `at`. */
export function standardHeaders(at: Date, requestId: string, transport: Headers = {}): Headers {
  return {
    ...security,
    ...transport,
    "Cache-Control": "no-store",
    Date: at.toUTCString(),
    "X-API-Version": apiVersion,
    "X-Request-Id": requestId,
  };
}

/** What is added where callers reach the server under this origin. */
export function transportHeaders(publicUrl: string | undefined): Headers {
  return publicUrl?.startsWith("https://") ? httpsOnly : {};
}

const names = [...Object.keys(standardHeaders(new Date(0), "")), ...Object.keys(httpsOnly)];
const standardNames = new Map(names.map((name) => [name.toLowerCase(), name]));

/**
 * Prints an answer with the headers of every answer. One of its own takes the place of the one of the same name, in
 * whatever case it is written (RFC 9110 section 5.1).
 */
export function printed({ status, headers, body }: Answer, standard: Headers, method = "GET"): Response {
  const all: Record<string, string> = { ...standard };
  for (const name of Object.keys(headers)) {
    all[standardNames.get(name.toLowerCase()) ?? name] = headers[name] ?? "";
  }
  // RFC 9110 section 9.3.2.
  return new Response(method === "HEAD" ? null : body, { status, headers: all });
}

/** The id a request brought, when it is one: up to 128 letters, digits and `. _ : -`. */
export function requestIdOf(request: Request): string | undefined {
  const given = request.headers.get("X-Request-Id");
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
