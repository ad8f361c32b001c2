export interface FetchJson {
  readonly fetch: typeof globalThis.fetch;
  /** How long the whole answer may take. */
  readonly milliseconds: number;
}

/** Far more than any issuer's metadata or keys. */
const mostBytes = 256 * 1024;

/**
 * Fetches a JSON document of another server, from this address alone: a redirect is no document.
 *
 * @returns `undefined` where there is no such document: another status than 200, or a body that is no JSON
 * @throws when the answer is not all there in time, or larger than 256 KiB
 */
export async function fetchJson(address: string, { fetch, milliseconds }: FetchJson): Promise<unknown> {
  const headers = { Accept: "application/json, application/jwk-set+json" };
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${address} did not answer in time`)), milliseconds);
  });
  const read = async () => {
    const answer = await fetch(address, { headers, redirect: "manual", signal: stop.signal });
    return answer.status === 200 ? parsed(await readText(answer, address)) : undefined;
  };
  const reading = read();
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    // Also a body that nobody reads to its end.
    stop.abort();
    reading.catch(() => undefined);
  }
}

async function readText({ body }: Response, address: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes > mostBytes) throw new Error(`${address} answers more than ${mostBytes} bytes`);
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
