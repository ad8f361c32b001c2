import type { Fetch, FetchResponse } from "@fieldroll/sync";

/** What the specification's searches know; how an instant of change is asked for is not shown there, so the name is the contract's. */
const parameters = new Set([
  "_extensions",
  "_lastUpdated",
  "limit",
  "cursor",
  "groupType",
  "name",
  "beneficiary",
  "status",
]);

/** Headers of requests and answers that the specification has, or HTTP itself. */
const requestHeaders = ["accept", "authorization", "content-type", "if-match"];
const answerHeaders = ["content-type", "location", "www-authenticate", "retry-after"];

/** How a plain server may differ from another one. */
export interface PlainOptions {
  /** The most that a page holds. */
  readonly pageSize?: number;
  /** Values of identifiers of records that are not there any more. */
  readonly erased?: ReadonlySet<string>;
}

/** A server that has what the specification describes and nothing else, made of one that has more. */
export function plain(send: Fetch, { pageSize = 500, erased = new Set() }: PlainOptions = {}): Fetch {
  return async (url, init) => {
    const target = new URL(url);
    if (target.pathname.endsWith("/oauth2/token")) return send(url, init);
    if (target.pathname.includes("/$")) return answer(404, missing);
    const unknown = [...target.searchParams].find(
      ([name, value]) =>
        init.method !== "GET" || !parameters.has(name) || (name === "_extensions" && value.includes("*")),
    );
    if (unknown) return answer(400, { ...badRequest, detail: `There is no parameter ${unknown.join("=")}.` });
    const limit = target.searchParams.get("limit");
    if (limit !== null) target.searchParams.set("limit", String(Math.min(Number(limit), pageSize)));
    if (erased.has(decodeURIComponent(target.pathname).split("|")[1] ?? "")) return answer(404, missing);
    const response = await send(target.toString(), { ...init, headers: only(init.headers) });
    return stripped(target.pathname, response, erased);
  };
}

const missing = { type: "urn:service:error:not-found", title: "Not found", status: 404 };
const badRequest = { type: "urn:service:error:bad-request", title: "Bad request", status: 400 };

function only(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => requestHeaders.includes(name)));
}

async function stripped(
  path: string,
  response: FetchResponse,
  erased: ReadonlySet<string>,
): Promise<FetchResponse> {
  const text = await response.text();
  const headers = new Map(answerHeaders.map((name) => [name, response.headers.get(name)]));
  const told = { status: response.status, headers: { get: (name: string) => headers.get(name) ?? null } };
  const json = /json/.test(headers.get("content-type") ?? "");
  return {
    ...told,
    text: async () => (json ? JSON.stringify(plainBody(path, JSON.parse(text), erased)) : text),
  };
}

type Body = Record<string, unknown>;

function plainBody(path: string, body: Body, erased: ReadonlySet<string>): Body {
  if (path.endsWith("/metadata")) {
    const extensions = (body.extension as readonly Body[]).map(({ name: _, ...rest }) => rest);
    return { extension: extensions };
  }
  if (Array.isArray(body.data)) {
    const data = body.data.filter(
      (record) => !record.identifier.some(({ value }: Body) => erased.has(`${value}`)),
    );
    return { data, pagination: body.pagination };
  }
  if (typeof body.status === "number" && "title" in body) {
    const { type, title, status, detail } = body;
    return { type, title, status, detail };
  }
  return body;
}

function answer(status: number, body: Body): FetchResponse {
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify({ ...body, status }), { status, headers });
}
