import { html } from "../openapi/html.ts";
import { pageOf } from "../openapi/page.ts";

/** What a browser is shown at an address that is no page of the field app: the way to it, also from below another path. */
export async function unknownPage(path: string): Promise<Response> {
  // Relative, for a proxy may serve all of it below a path of its own.
  const home = "../".repeat(path.split("/").length - 2) || "./";
  const page = await pageOf(
    "Nothing here",
    html`<main><h1>Nothing here</h1><p>There is no page at this address.</p><p><a href="${home}">Open Fieldroll</a></p></main>`,
  );
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": page.policy,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
  };
  return new Response(page.html, { status: 404, headers });
}

/** To the address without the slash at its end: relative, for the same reason. */
export function withoutSlash(path: string, search: string): Response {
  const name = path.split("/").at(-2);
  return new Response(null, { status: 308, headers: { Location: `../${name}${search}` } });
}
