import { spawn, spawnSync } from "node:child_process";
import { request as httpRequest, type IncomingMessage } from "node:http";

/** What is sent, and how its length is said. */
export interface Upload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly framing: "Content-Length" | "chunked";
}

/** Sends uploads one after the other. Returns the statuses of the answers, which were read to their ends. */
export type Sender = (uploads: readonly Upload[]) => Promise<readonly number[]>;

const chunkSize = 65_536;

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += chunkSize) yield body.subarray(at, at + chunkSize);
}

function streamOf(body: Buffer): ReadableStream<Uint8Array> {
  const chunks = chunksOf(body);
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

export const byNode: Sender = (uploads) => inTurn(uploads, sendByNode);
export const byFetch: Sender = (uploads) => inTurn(uploads, sendByFetch);

async function inTurn(
  uploads: readonly Upload[],
  send: (upload: Upload) => Promise<number>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const upload of uploads) statuses.push(await send(upload));
  return statuses;
}

async function sendByNode({ url, headers, body, framing }: Upload): Promise<number> {
  const length = framing === "chunked" ? {} : { "Content-Length": String(body.length) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest(url, { method: "POST", headers: { ...headers, ...length } }, resolve);
    sent.on("error", reject);
    for (const chunk of chunksOf(body)) sent.write(chunk);
    sent.end();
  });
  for await (const _ of answer);
  return answer.statusCode ?? 0;
}

async function sendByFetch({ url, headers, body, framing }: Upload): Promise<number> {
  const sent = framing === "chunked" ? streamOf(body) : new Uint8Array(body);
  const options = { method: "POST", headers, body: sent, duplex: "half" } as RequestInit;
  const answer = await fetch(url, options);
  await answer.arrayBuffer();
  return answer.status;
}

export const byCurl: Sender = (uploads) =>
  inTurn(uploads, async ({ url, headers, body, framing }) => {
    const chunked = framing === "chunked" ? { "Transfer-Encoding": "chunked" } : {};
    // By itself curl asks with Expect before it sends as much.
    const given = Object.entries({ ...headers, ...chunked, Expect: "" });
    const lines = given.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const options = ["-sS", "-o", "-", "-w", "\n%{http_code}", "--data-binary", "@-"];
    const printed = await outputOf("curl", [...options, ...lines, url], body);
    return Number(printed.split("\n").at(-1));
  });

const urllib = `
import json, sys, urllib.error, urllib.request
statuses = []
for url, headers, size, framing in json.loads(sys.argv[1]):
    body = b" " * size
    data = iter([body[at:at + 65536] for at in range(0, size, 65536)]) if framing == "chunked" else body
    request = urllib.request.Request(url, data, headers, method="POST")
    try:
        urllib.request.urlopen(request)
    except urllib.error.HTTPError as answer:
        answer.read()
        statuses.append(answer.code)
print(json.dumps(statuses))
`;

export const byUrllib: Sender = async (uploads) => {
  const sizes = uploads.map(({ url, headers, body, framing }) => [url, headers, body.length, framing]);
  return JSON.parse(await outputOf("python3", ["-c", urllib, JSON.stringify(sizes)])) as number[];
};

export function isThere(command: string): boolean {
  return spawnSync(command, ["--version"]).status === 0;
}

async function outputOf(
  command: string,
  args: readonly string[],
  input: Uint8Array = Buffer.of(),
): Promise<string> {
  const child = spawn(command, args);
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => printed.push(bytes));
  // Whether it sends everything is its own matter.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const status = await new Promise((resolve) => child.once("close", resolve));
  const text = Buffer.concat(printed).toString();
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${text}`);
  return text;
}
