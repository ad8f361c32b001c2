import { cors } from "hono/cors";

/** Which pages of other origins may call the API. */
export interface CrossOrigin {
  /** Origins such as `https://app.example.org`, or `"*"` for any; tokens, not cookies, say who calls. */
  readonly origins: "*" | readonly string[];
}

/** Answers preflight requests and lets the named origins read answers and their headers. */
export function crossOrigin({ origins }: CrossOrigin) {
  return cors({
    origin: origins === "*" ? "*" : [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "If-Match",
      "If-None-Match",
      "Idempotency-Key",
      "X-Purpose",
      "X-Request-Id",
    ],
    exposeHeaders: [
      "Allow",
      "Date",
      "Deprecation",
      "ETag",
      "Idempotent-Replayed",
      "Link",
      "Location",
      "RateLimit-Limit",
      "RateLimit-Remaining",
      "RateLimit-Reset",
      "Retry-After",
      "Sunset",
      "WWW-Authenticate",
      "X-API-Version",
      "X-Consent-Expires",
      "X-Consent-Scope",
      "X-Consent-Status",
      "X-Request-Id",
    ],
    maxAge: 600,
  });
}
