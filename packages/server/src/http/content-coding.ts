import { Answer } from "./answer.ts";

/** A content coding (RFC 9110 section 8.4.1) that answers may have. */
export type ContentCoding = "br" | "gzip";

/** Compresses a body. */
export type Compress = (
  body: string | Uint8Array,
  coding: ContentCoding,
) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

/** Bodies with fewer bytes gain nothing: their packet is sent anyway. */
export const leastBytes = 1000;

/** Longer bodies are photos, which become a quarter smaller at 30 ms of processor time for each MB. */
export const mostBytes = 2 * 1024 * 1024;

/** In the order of preference where the reader has none. */
const codings = ["br", "gzip"] as const satisfies readonly ContentCoding[];

/**
 * Returns the coding that the reader likes best of those that there are, by the weights of `Accept-Encoding` (RFC 9110 section 12.5.3);
 * `undefined` where the body is to be sent as it is: without the header, and where `identity` has the greater weight.
 */
export function acceptedCoding(header: string | null): ContentCoding | undefined {
  if (header === null) return undefined;
  const weights = new Map(header.split(",").map(weighted));
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a));
  const isLiked = best && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0);
  return isLiked ? best : undefined;
}

/** A malformed weight counts as 0. */
function weighted(item: string): readonly [coding: string, weight: number] {
  const [, coding = "", weight = "1"] =
    /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
  return [coding.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight)];
}

/** Whether a media type is of text or code; images are compressed by themselves. */
export function isCompressible(mediaType: string): boolean {
  return /^(text\/|image\/svg\+xml|application\/([\w.-]+\+)?(json|javascript|wasm)\b)/i.test(mediaType);
}

/** Answers that are compressed at once; Node's pool has four threads, and a large answer waits there with all its bytes. */
const mostAtOnce = 8;

/**
 * Makes a function that compresses an answer in the coding that its reader takes. Its entity tag stays: it names a version of the record,
 * in whatever coding. An answer that may not be transformed (`Cache-Control: no-transform`) stays as it is, and so does one that comes
 * while `atOnce` others are being compressed.
 */
export function createEncoder(
  compress: Compress,
  atOnce = mostAtOnce,
): (request: Request, answer: Answer) => Promise<Answer> {
  let running = 0;
  return async (request, answer) => {
    const { status, headers, body } = answer;
    const named = lowerCased(headers);
    const isOpen = !named["cache-control"]?.includes("no-transform") && !("content-encoding" in named);
    if (!isOpen || (body !== null && !isCompressible(named["content-type"] ?? ""))) return answer;
    const varying = { ...headers, Vary: varyWith(named.vary) };
    const coding = acceptedCoding(request.headers.get("Accept-Encoding"));
    const isWorthIt = body !== null && request.method !== "HEAD" && hasWorthyLength(body);
    if (coding === undefined || !isWorthIt || running >= atOnce) return new Answer(status, varying, body);
    running++;
    try {
      const smaller = await compress(body, coding);
      return new Answer(status, { ...varying, "Content-Encoding": coding }, smaller);
    } finally {
      running--;
    }
  };
}

function hasWorthyLength({ length }: string | Uint8Array): boolean {
  return length >= leastBytes && length <= mostBytes;
}

/** The header `Vary` of an answer that depends on `Accept-Encoding` too. */
function varyWith(vary: string | undefined): string {
  return vary === undefined ? "Accept-Encoding" : `${vary}, Accept-Encoding`;
}

function lowerCased(headers: Answer["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
