import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A write as it came to the server and as the server answered it. */
export interface Exchange {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  /** Whether the answer was one given before. */
  readonly replayed: boolean;
  /** The answer's record, where it has one. */
  readonly reference: string | null;
  readonly version: number;
}

export type GateEvent = "push asked" | "push answered" | "pull asked" | "pull answered";

/** Stands before a server and notes every write that reached it, whether or not who asked was there for the answer. */
export interface Gate {
  readonly port: number;
  readonly ledger: readonly Exchange[];
  /** Requests for pages of the change feed so far. */
  pulls(): number;
  /**
   * Called for every request of the kinds named; the request waits until what it gives has passed, or is lost when that is rejected:
   * before it reaches the server when it is asked, and its answer when it is answered.
   */
  watch(listener: (event: GateEvent) => Promise<void> | undefined): void;
  /** Leads to another server from now on. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

/** Opens a gate before a server on this machine. */
export async function openGate(target: number): Promise<Gate> {
  const agent = new Agent({ keepAlive: true });
  const ledger: Exchange[] = [];
  let [port, pulls] = [target, 0];
  let listener: (event: GateEvent) => Promise<void> | undefined = () => undefined;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const kind = kindOf(incoming);
    const body = await whole(incoming);
    if (kind === "pull") pulls++;
    if (kind) await listener(`${kind} asked`);
    const answer = await forward(incoming, body, { agent, port });
    const content = await whole(answer);
    if (kind === "push") {
      const bundle = incoming.url?.includes("/$batch") && answer.statusCode === 200;
      ledger.push(
        ...(bundle ? exchangesIn(body, content, ledger) : [exchangeOf(incoming, body, answer, content)]),
      );
    }
    if (kind) await listener(`${kind} answered`);
    const headers = { ...answer.headers };
    delete headers["transfer-encoding"];
    outgoing.writeHead(answer.statusCode ?? 500, { ...headers, "content-length": content.length });
    outgoing.end(content);
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    ledger,
    pulls: () => pulls,
    watch(next) {
      listener = next;
    },
    leadTo(next) {
      port = next;
    },
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function kindOf({ method = "", url = "" }: IncomingMessage): "push" | "pull" | null {
  if (!url.startsWith("/api/")) return null;
  if (method !== "GET") return "push";
  return url.includes("/$changes") ? "pull" : null;
}

async function whole(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { agent, port }: { readonly agent: Agent; readonly port: number },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Compressed answers could not be read here.
    const plain = { ...headers, "accept-encoding": "identity" };
    const sent = request({ host: "127.0.0.1", port, method, path: url, headers: plain, agent }, resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}

function exchangeOf(
  incoming: IncomingMessage,
  body: Buffer,
  answer: IncomingMessage,
  content: Buffer,
): Exchange {
  const { method = "", url = "", headers } = incoming;
  const status = answer.statusCode ?? 0;
  const record = status < 300 ? recordIn(JSON.parse(content.toString())) : nothing;
  return {
    key: String(headers["idempotency-key"]),
    method,
    // A browser encodes what an address may not have as it is; in a bundle it stands as it is.
    path: decodeURIComponent(url.replace(/^\/api\/v2\//, "").replace(/\?.*$/s, "")),
    body: body.toString(),
    status,
    replayed: answer.headers["idempotent-replayed"] !== undefined,
    ...record,
  };
}

const nothing = { reference: null, version: 0 };

/** The writes of a bundle. That one is a repetition shows in a version that its key made before. */
function exchangesIn(body: Buffer, content: Buffer, ledger: readonly Exchange[]): readonly Exchange[] {
  const sent = JSON.parse(body.toString()) as { entry: SentEntry[] };
  const { entry } = JSON.parse(content.toString()) as { entry: AnsweredEntry[] };
  return sent.entry.flatMap(({ request: { method, url, idempotencyKey: key }, resource }, place) => {
    const { response: { status } = { status: 0 }, resource: answered } = entry[place] ?? {};
    if (key === undefined) return [];
    const record = status < 300 && answered ? recordIn(answered) : nothing;
    const replayed = ledger.some((known) => known.key === key && known.version === record.version);
    return [{ key, method, path: url, body: JSON.stringify(resource), status, replayed, ...record }];
  });
}

interface SentEntry {
  readonly request: { readonly method: string; readonly url: string; readonly idempotencyKey?: string };
  readonly resource: object;
}

interface AnsweredEntry {
  readonly response: { readonly status: number };
  readonly resource: RecordAnswered;
}

interface RecordAnswered {
  readonly type: string;
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
  readonly meta: { readonly versionId: string };
}

function recordIn(record: RecordAnswered): Pick<Exchange, "reference" | "version"> {
  const [first] = record.identifier;
  return {
    reference: `${record.type}/${first?.system}|${first?.value}`,
    version: Number(record.meta.versionId),
  };
}
