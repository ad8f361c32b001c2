import { counted } from "@fieldroll/core";
import { rateLimitHeaders } from "../http/problem-details.ts";
import type { HeldBack } from "./sign-in-limits.ts";

type Refused = Pick<HeldBack, "retryAfter" | "limit">;

/** Why a sign-in was not looked at, and when to try again. */
export function heldBackText({ retryAfter, limit }: Refused): string {
  const failed = `Too many failed attempts: ${limit} a minute are allowed`;
  const why = limit === undefined ? "Too many sign-ins at once" : failed;
  return `${why}. Try again in ${counted(retryAfter, "second")}`;
}

/** The headers of that answer: contract section 8. */
export function heldBackHeaders({ retryAfter: seconds, limit }: Refused): Readonly<Record<string, string>> {
  return limit === undefined ? { "Retry-After": String(seconds) } : rateLimitHeaders({ limit, seconds });
}
