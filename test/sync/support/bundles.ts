import type { Fetch, FetchResponse } from "@fieldroll/sync";

/** One request as it stands in a bundle, or alone. */
export interface OneRequest {
  /** Its idempotency key; empty for one without. */
  readonly key: string;
  readonly method: string;
  /** Below the API's root, without a query. */
  readonly path: string;
  readonly body: string;
}

/** An answer to one request. */
export interface OneAnswer {
  readonly status: number;
  readonly body: object;
}

interface BundleEntry {
  readonly request: { readonly method: string; readonly url: string; readonly idempotencyKey?: string };
  readonly resource?: object;
}

interface BundleAnswer {
  readonly response: { readonly status: number };
  readonly resource?: object;
}

/** The writes that leave with a request. */
export function writesIn(...[url, init]: Parameters<Fetch>): readonly OneRequest[] {
  const sent = url.includes("/$batch") ? requestsIn(init.body) : [alone(url, init)];
  return sent.filter(({ key }) => key !== "");
}

function alone(...[url, { method, headers, body = "" }]: Parameters<Fetch>): OneRequest {
  const path = new URL(url).pathname.replace("/api/v2/", "");
  return { key: headers["idempotency-key"] ?? "", method, path, body };
}

/** The requests that a bundle carries. */
export function requestsIn(body: string | undefined): readonly OneRequest[] {
  return entriesIn(body).map(asOne);
}

function entriesIn(body: string | undefined): readonly BundleEntry[] {
  return (JSON.parse(body ?? "{}") as { entry?: BundleEntry[] }).entry ?? [];
}

function asOne({ request, resource }: BundleEntry): OneRequest {
  const { method, url: path, idempotencyKey: key = "" } = request;
  return { key, method, path, body: JSON.stringify(resource ?? null) };
}

type Answering = (request: OneRequest) => OneAnswer | undefined;

/**
 * A network in which something else answers single requests, wherever they travel: those that it answers are taken out of
 * their bundle, and never reach the server.
 */
export function answering(answer: Answering): (send: Fetch) => Fetch {
  return (send) => async (url, init) => {
    if (url.includes("/$batch")) return answerWithin(answer, send, [url, init]);
    const own = answer(alone(url, init));
    return own ? responseOf(own) : send(url, init);
  };
}

async function answerWithin(
  answer: Answering,
  send: Fetch,
  [url, init]: Parameters<Fetch>,
): Promise<FetchResponse> {
  const entries = entriesIn(init.body);
  const own = entries.map((entry) => answer(asOne(entry)));
  const rest = entries.filter((_, place) => !own[place]);
  let theirs: BundleAnswer[] = [];
  if (rest.length > 0) {
    const body = JSON.stringify({ resourceType: "Bundle", type: "batch", entry: rest });
    const reply = await send(url, { ...init, body });
    if (reply.status !== 200) return reply;
    theirs = (JSON.parse(await reply.text()) as { entry: BundleAnswer[] }).entry;
  }
  const entry = own.map((one) =>
    one ? { response: { status: one.status }, resource: one.body } : theirs.shift(),
  );
  return Response.json({ resourceType: "Bundle", type: "batch-response", entry });
}

function responseOf({ status, body }: OneAnswer): FetchResponse {
  const type = status < 300 ? "application/json" : "application/problem+json";
  return new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
}
