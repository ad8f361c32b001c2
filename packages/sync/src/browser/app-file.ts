/** What is looked at of an answer. */
type Answer = Pick<Response, "status" | "redirected"> & { readonly headers: Pick<Headers, "get"> };

/**
 * Whether an answer may be kept as a file of the app. A network that wants a sign-in (a captive portal) answers any address with its own
 * page, or sends to it: kept, that page would stand in the app's place from then on.
 */
export function isAppFile(url: string, { status, redirected, headers }: Answer): boolean {
  const isPage = /\btext\/html\b/i.test(headers.get("Content-Type") ?? "");
  const wantsPage = /(\/|\.html?)$/.test(new URL(url).pathname);
  return status === 200 && !redirected && isPage === wantsPage;
}
