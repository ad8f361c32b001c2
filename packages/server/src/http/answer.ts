/**
 * What an operation answers, before it is printed: one plain object on which headers are laid without parsing any of them.
 * A `Response` is made of it once, with all its headers, so that a listener can write it as it is.
 */
export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: Answer["body"]) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

interface Told {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer of JSON. */
export function jsonAnswer(value: unknown, { status = 200, headers }: Told = {}): Answer {
  return new Answer(status, { "Content-Type": "application/json", ...headers }, JSON.stringify(value));
}

/** An answer without a body, such as 204 and 304. */
export function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(status, headers, null);
}

/** The same answer with more headers, where there are some. Its own stay as they are. */
export function withHeaders(answer: Answer, more: Answer["headers"]): Answer {
  for (const _ in more) return new Answer(answer.status, { ...more, ...answer.headers }, answer.body);
  return answer;
}

/** Takes an answer that comes as a `Response`, such as those of version 1, as one of ours. */
export async function answerOf(told: Answer | Response): Promise<Answer> {
  if (told instanceof Answer) return told;
  const body = told.body === null ? null : new Uint8Array(await told.arrayBuffer());
  return new Answer(told.status, Object.fromEntries(told.headers), body);
}
