import { Answer, emptyAnswer } from "./answer.ts";

/** Which pages of other origins may call the API. */
export interface CrossOrigin {
  /** Origins such as `https://app.example.org`, or `"*"` for any; tokens, not cookies, say who calls. */
  readonly origins: "*" | readonly string[];
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].join(",");
const sentHeaders = [
  "Authorization",
  "Content-Type",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  "X-Clock-Skew",
  "X-Purpose",
  "X-Record-Shows",
  "X-Request-Id",
].join(",");
const readableHeaders = [
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
  "X-Record-Key",
  "X-Record-Shows",
  "X-Request-Id",
].join(",");

/** Seconds for which a browser need not ask again. */
const maxAge = "600";

/** Answers preflight requests and lets the named origins read answers and their headers (Fetch standard, "CORS protocol"). */
export function crossOrigin({ origins }: CrossOrigin) {
  return {
    /** The answer to a preflight request; `undefined` for any other. */
    preflight({ method }: Request): Answer | undefined {
      if (method !== "OPTIONS") return undefined;
      return emptyAnswer(204, {
        "Access-Control-Max-Age": maxAge,
        "Access-Control-Allow-Methods": methods,
        "Access-Control-Allow-Headers": sentHeaders,
      });
    },
    /** The same answer, for the page that asked. */
    shared({ headers: sent }: Request, { status, headers, body }: Answer): Answer {
      const origin = sent.get("Origin") ?? "";
      const allowed = origins === "*" || origins.includes(origin);
      const more = {
        ...(allowed && { "Access-Control-Allow-Origin": origins === "*" ? "*" : origin }),
        ...(origins !== "*" && { Vary: "Origin" }),
        "Access-Control-Expose-Headers": readableHeaders,
      };
      return new Answer(status, { ...headers, ...more }, body);
    },
  };
}
