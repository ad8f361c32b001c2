import type { Fetch, FetchResponse, Timers } from "../ports.ts";
import type { NoAnswer, RawAnswer } from "./reply.ts";

/** One request to the API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** A whole address. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends it at once when it is aborted, as `closing` ends every request. */
  readonly over?: AbortSignal;
}

/** Sends one request; never rejects, and always ends within the time it was given. */
export type Transport = (request: ApiRequest) => Promise<RawAnswer | NoAnswer>;

export interface TransportOptions {
  readonly fetch: Fetch;
  readonly timers: Timers;
  /** How long a request may take, its answer's body included, in milliseconds; what sends much has longer. */
  readonly timeout: number;
  /** Ends every request at once when it is aborted; their outcomes stay unknown. */
  readonly closing: AbortSignal;
  /** Of the page: see the port. */
  readonly origin: string | null;
}

/** Bytes in a millisecond over the poorest network that is still of use: what is sent adds as much to the time. */
const slowest = 2;

/** Makes a transport of a fetch. Redirects are errors: a redirected PATCH could come back as the answer to a GET. */
export function createTransport({ fetch, timers, timeout, closing, origin }: TransportOptions): Transport {
  /** Origins that answered: what lets this page in is not to be doubted. */
  const answering = new Set([origin]);
  const unreachable = ({ url }: ApiRequest) =>
    noAnswerFrom(url, answering.has(originOf(url)) ? null : origin);
  return async (request) => {
    const time = timeout + (request.body?.length ?? 0) / slowest;
    const abort = new AbortController();
    let end: () => void = () => undefined;
    const cut = new Promise<NoAnswer>((resolve) => {
      const give = (answer: NoAnswer) => {
        abort.abort();
        resolve(answer);
      };
      const cancel = timers.set(time, () => give(tooLate(time)));
      const close = () => give(unreachable(request));
      const ends = request.over ? [closing, request.over] : [closing];
      for (const signal of ends) signal.addEventListener("abort", close);
      if (ends.some(({ aborted }) => aborted)) close();
      end = () => {
        cancel();
        for (const signal of ends) signal.removeEventListener("abort", close);
      };
    });
    if (abort.signal.aborted) return cut.finally(end);
    const answered = send(fetch, request, abort.signal).catch(() => unreachable(request));
    void answered.then(({ kind }) => kind === "answer" && answering.add(originOf(request.url)));
    return Promise.race([answered, cut]).finally(end);
  };
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** @param page the origin that the server may not let in; a browser tells nobody when that is why there is no answer */
function noAnswerFrom(url: string, page: string | null): NoAnswer {
  const server = originOf(url);
  // A page without an origin of its own is let in only where all are.
  const option = `--allow-origin ${page === "null" ? "*" : page}`;
  const leave = page === null ? "" : `, and that it lets in pages of ${page} (fieldroll serve ${option})`;
  const detail = `The server${server ? ` ${server}` : ""} can't be reached. Check the network, and that the server runs there${leave}; then try again.`;
  return { kind: "no-answer", why: "network", detail };
}

function tooLate(time: number): NoAnswer {
  const seconds = Math.round(time / 1000);
  return {
    kind: "no-answer",
    why: "timeout",
    detail: `The server did not answer within ${seconds} seconds.`,
  };
}

async function send(fetch: Fetch, request: ApiRequest, signal: AbortSignal): Promise<RawAnswer> {
  const { method, url, headers = {}, body } = request;
  const response: FetchResponse = await fetch(url, {
    method,
    headers: { accept: "application/json", ...headers },
    ...(body !== undefined && { body }),
    signal,
    redirect: "error",
    cache: "no-store",
    credentials: "omit",
  });
  return {
    kind: "answer",
    status: response.status,
    contentType: response.headers.get("content-type"),
    retryAfter: response.headers.get("retry-after"),
    authenticate: response.headers.get("www-authenticate"),
    replayed: response.headers.get("idempotent-replayed"),
    recordKey: response.headers.get("x-record-key"),
    shows: response.headers.get("x-record-shows"),
    date: response.headers.get("date"),
    text: await response.text(),
  };
}
