import { createMiddleware } from "hono/factory";
import type { Service } from "./exchange.ts";
import type { AnswerEntry } from "./handler.ts";

/** The version of the interface, on every answer: contract section 1. */
export const apiVersion = "2.0";

const security: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** For a year after an answer, browsers reach the server under HTTPS only (RFC 6797). */
const httpsOnly: Readonly<Record<string, string>> = { "Strict-Transport-Security": "max-age=31536000" };

/** Headers of every answer to a request that arrived at `at`. */
export function standardHeaders(at: Date, requestId: string): Readonly<Record<string, string>> {
  return {
    ...security,
    "Cache-Control": "no-store",
    Date: at.toUTCString(),
    "X-API-Version": apiVersion,
    "X-Request-Id": requestId,
  };
}

/** Sets them, errors included, and reports the answer. What an operation has set itself stays. */
export function withStandardHeaders(
  { clock, newRequestId, publicUrl }: Pick<Service, "clock" | "newRequestId" | "publicUrl">,
  onAnswer?: (entry: AnswerEntry) => void,
) {
  const transport = publicUrl?.startsWith("https://") ? httpsOnly : {};
  return createMiddleware<{ Variables: { route: string; requestId: string } }>(async (context, next) => {
    const start = clock();
    const requestId = requestIdOf(context.req.raw) ?? newRequestId();
    context.set("requestId", requestId);
    context.set("route", "unmatched");
    await next();
    const { headers, status } = context.res;
    for (const [name, value] of Object.entries({ ...standardHeaders(start, requestId), ...transport })) {
      if (!headers.has(name)) headers.set(name, value);
    }
    const milliseconds = clock().getTime() - start.getTime();
    onAnswer?.({ requestId, method: context.req.method, route: context.get("route"), status, milliseconds });
  });
}

/** The id a request brought, when it is one: up to 128 letters, digits and `. _ : -`. */
function requestIdOf(request: Request): string | undefined {
  const given = request.headers.get("X-Request-Id");
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
