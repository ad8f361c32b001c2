import type { Fetch, FetchResponse, Timers } from "../ports.ts";
import { addressOf } from "./address.ts";
import { createPatience, poorest, uploadRate } from "./patience.ts";
import { type NoAnswer, notTheApi, type RawAnswer } from "./reply.ts";

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

/** Sends one request; never rejects, and always ends: see {@link TransportOptions}. */
export type Transport = (request: ApiRequest) => Promise<RawAnswer | NoAnswer>;

export interface TransportOptions {
  readonly fetch: Fetch;
  readonly timers: Timers;
  readonly clock: () => Date;
  /**
   * How long a request may make no progress, in milliseconds: until its answer begins, and between two pieces of that. Its upload has as
   * much longer as its size takes at the rate of the uploads before.
   */
  readonly timeout: number;
  /** Ends every request at once when it is aborted; their outcomes stay unknown. */
  readonly closing: AbortSignal;
  /** Of the page: see the port. */
  readonly origin: string | null;
}

/**
 * Makes a transport of a fetch. No redirect is followed: a redirected PATCH could come back as the answer to a GET. This API sends none, so
 * that one is of something that answers in its place.
 */
export function createTransport({
  fetch,
  timers,
  clock,
  timeout,
  closing,
  origin,
}: TransportOptions): Transport {
  /** Origins that answered: what lets this page in is not to be doubted. */
  const answering = new Set([origin]);
  const unreachable = ({ url }: ApiRequest) =>
    noAnswerFrom(url, answering.has(originOf(url)) ? null : origin);
  let rate = poorest;

  /** @param meet called with the answer's beginning, and for each piece of it */
  async function answered(request: ApiRequest, signal: AbortSignal, meet: (isFirst: boolean) => void) {
    let response: FetchResponse | undefined;
    try {
      response = await send(fetch, request, signal);
      const at = clock().getTime();
      meet(true);
      if (isRedirect(response)) return notTheApi(response.status);
      const text = await bodyOf(response, () => meet(false));
      answering.add(originOf(request.url));
      return answerOf(response, { text, at });
    } catch {
      return { ...unreachable(request), ...(response && { isCut: true }) };
    }
  }

  return async (request) => {
    const bytes = request.body?.length ?? 0;
    const begun = clock().getTime();
    const abort = new AbortController();
    let resolve: (answer: NoAnswer) => void = () => undefined;
    const given = new Promise<NoAnswer>((settle) => {
      resolve = settle;
    });
    const giveUp = (answer: NoAnswer) => {
      abort.abort();
      resolve(answer);
    };
    const close = () => giveUp(unreachable(request));
    const ends = request.over ? [closing, request.over] : [closing];
    if (ends.some(({ aborted }) => aborted)) return unreachable(request);
    for (const signal of ends) signal.addEventListener("abort", close);
    const patience = createPatience(
      { timers, clock },
      { upload: bytes / rate, silence: timeout },
      (waited) => {
        rate = uploadRate(rate, { bytes, took: null });
        giveUp(tooLate(waited));
      },
    );
    const meet = (isFirst: boolean) => {
      if (isFirst) rate = uploadRate(rate, { bytes, took: clock().getTime() - begun });
      patience.progressed();
    };
    return Promise.race([answered(request, abort.signal, meet), given]).finally(() => {
      patience.end();
      for (const signal of ends) signal.removeEventListener("abort", close);
    });
  };
}

function originOf(url: string): string | null {
  return addressOf(url)?.origin ?? null;
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

function send(fetch: Fetch, request: ApiRequest, signal: AbortSignal): Promise<FetchResponse> {
  const { method, url, headers = {}, body } = request;
  return fetch(url, {
    method,
    headers: { accept: "application/json", ...headers },
    ...(body !== undefined && { body }),
    signal,
    redirect: "manual",
    cache: "no-store",
    credentials: "omit",
  });
}

/** A browser tells no status of a redirect that it does not follow. */
function isRedirect({ status, type }: FetchResponse): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** @param progressed called for each piece */
async function bodyOf(response: FetchResponse, progressed: () => void): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    progressed();
  }
}

function answerOf(
  { status, headers }: FetchResponse,
  { text, at }: Pick<RawAnswer, "text" | "at">,
): RawAnswer {
  return {
    kind: "answer",
    status,
    contentType: headers.get("content-type"),
    retryAfter: headers.get("retry-after"),
    authenticate: headers.get("www-authenticate"),
    replayed: headers.get("idempotent-replayed"),
    recordKey: headers.get("x-record-key"),
    shows: headers.get("x-record-shows"),
    date: headers.get("date"),
    at,
    text,
  };
}
