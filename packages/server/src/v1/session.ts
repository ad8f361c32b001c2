import type { Caller, Problem } from "@fieldroll/core";
import { readBasic } from "../oauth/basic-credentials.ts";
import { heldBackHeaders, heldBackText } from "../oauth/held-back.ts";
import type { Issuer } from "../oauth/issuer.ts";

/** The cookie that stands for a token of ours. */
const cookieName = "fieldroll_v1_session";
const cookiePath = "/api/v1";

/** Who calls version 1, or why nobody may. */
export type Admission =
  | { readonly ok: true; readonly caller: Caller; readonly cookie?: string }
  | { readonly ok: false; readonly problem: Problem; readonly headers: Readonly<Record<string, string>> };

interface Knock {
  readonly request: Request;
  readonly peer: string | undefined;
  /** Origin as the caller reached it. */
  readonly origin: string;
}

/** Admits by HTTP Basic (a client's id and secret), which begins a session, or by the session's cookie: contract section 9. */
export async function admit(issuer: Issuer, { request, peer, origin }: Knock): Promise<Admission> {
  const basic = readBasic(request.headers.get("Authorization"));
  if (basic === "malformed") return refused("The Authorization header is not HTTP Basic.");
  if (basic === undefined) return admitBySession(issuer, request, origin);
  const { user: clientId, password: clientSecret } = basic;
  const from = { issuer: origin, ...(peer === undefined ? {} : { peer }) };
  const granted = await issuer.grant({ clientId, clientSecret, ...from });
  if (!granted.ok) {
    if (granted.error !== "too_many_requests") return refused("The client id or its secret is wrong.");
    const problem = { kind: "too-many-requests", detail: `${heldBackText(granted)}.` } as const;
    return { ok: false, problem, headers: heldBackHeaders(granted) };
  }
  const caller = await issuer.identify(granted.token);
  if (!caller) return refused("The client id or its secret is wrong.");
  return { ok: true, caller, cookie: cookieOf(granted, origin.startsWith("https:")) };
}

async function admitBySession(issuer: Issuer, request: Request, origin: string): Promise<Admission> {
  const token = tokenIn(request.headers.get("Cookie"));
  if (token === undefined) return refused("Send a client's id and secret by HTTP Basic.");
  const from = request.headers.get("Origin");
  // A browser sends the cookie to pages of sibling domains too; those may not act in the session's name.
  if (from !== null && from !== origin) return refused("A session is for pages of this server only.");
  const caller = await issuer.identify(token);
  return caller ? { ok: true, caller } : refused("The session has ended. Sign in again by HTTP Basic.");
}

function refused(detail: string): Admission {
  const headers = { "WWW-Authenticate": 'Basic realm="fieldroll", charset="UTF-8"' };
  return { ok: false, problem: { kind: "authentication", detail }, headers };
}

function cookieOf(
  { token, expiresIn }: { readonly token: string; readonly expiresIn: number },
  secure: boolean,
) {
  const attributes = [`Path=${cookiePath}`, `Max-Age=${expiresIn}`, "HttpOnly", "SameSite=Strict"];
  return [`${cookieName}=${token}`, ...attributes, ...(secure ? ["Secure"] : [])].join("; ");
}

function tokenIn(header: string | null): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${cookieName}=`));
  return found?.slice(cookieName.length + 1);
}
