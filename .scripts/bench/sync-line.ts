import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { createSeededRandom } from "@fieldroll/core/testing";
import { type Couch, isForCouch } from "./sync-couch.ts";

/** What ran over a line. */
export interface Traffic {
  readonly requests: number;
  readonly writes: number;
  /** The most writes that were under way at once. */
  readonly writesAtOnce: number;
  readonly lost: number;
  /** Bytes on the wire, heads included. */
  readonly up: number;
  readonly down: number;
  /** Bytes of the heads of requests that the browser adds by itself. */
  readonly browsers: number;
  /** Bytes of the writes' bodies. */
  readonly bodies: number;
  /** When the last write was answered, in milliseconds since the epoch. */
  readonly lastWriteAt: number;
}

/** The network between a page and its server: everything the page asks for comes over it. */
export interface Line {
  readonly port: number;
  /** What ran since the last call. */
  traffic(): Traffic;
  /** @param loss of requests and answers together, from 0 up to 1 */
  set(quality: { readonly roundTrip: number; readonly loss: number }): void;
  close(): void;
}

const nothing: Traffic = {
  requests: 0,
  writes: 0,
  writesAtOnce: 0,
  lost: 0,
  up: 0,
  down: 0,
  browsers: 0,
  bodies: 0,
  lastWriteAt: Number.NaN,
};

/** Opens a line to a server on this machine, and to a CouchDB under the same origin. */
export async function openLine(target: number, couch?: Couch): Promise<Line> {
  const agent = new Agent({ keepAlive: true });
  const wire = countBytes();
  let quality = { roundTrip: 0, loss: 0 };
  let seen = { ...nothing };
  let writing = 0;
  const random = createSeededRandom(20).next;
  const server = createServer((asked, answer) => void serve(asked, answer).catch(() => answer.destroy()));
  server.on("connection", wire.watch);

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bodyOf(asked);
    if (couch && isForCouch(asked.url ?? "")) {
      const { method = "", url = "" } = asked;
      const given = couch.answer({ method, url, body: body.toString() });
      answer.writeHead(given.status, { "content-type": "application/json" }).end(given.body);
      return;
    }
    const isWrite = asked.method !== "GET" && asked.url?.startsWith("/api/") === true;
    const browsers = seen.browsers + browsersBytes(asked);
    seen = { ...seen, requests: seen.requests + 1, browsers };
    if (isWrite) {
      writing += 1;
      const writesAtOnce = Math.max(seen.writesAtOnce, writing);
      seen = { ...seen, writes: seen.writes + 1, bodies: seen.bodies + body.length, writesAtOnce };
    }
    try {
      await carry(asked, answer, body);
    } finally {
      if (isWrite) {
        writing -= 1;
        seen = { ...seen, lastWriteAt: Date.now() };
      }
    }
  }

  async function carry(asked: IncomingMessage, answer: ServerResponse, body: Buffer): Promise<void> {
    const { roundTrip, loss } = quality;
    const lost = random() < loss;
    if (lost) seen = { ...seen, lost: seen.lost + 1 };
    if (roundTrip > 0) await pass(roundTrip / 2);
    if (lost && random() < 0.5) return void asked.socket.destroy();
    const { head, content } = await ask(target, agent, { asked, body });
    if (roundTrip > 0) await pass(roundTrip / 2);
    if (lost) return void asked.socket.destroy();
    // On a connection that served before, a browser sends again by itself what got no answer.
    const closing = loss > 0 ? { connection: "close" } : {};
    answer.writeHead(head.statusCode ?? 502, { ...head.headers, ...closing }).end(content);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    traffic() {
      const ran = { ...seen, ...wire.take() };
      seen = { ...nothing };
      return ran;
    },
    set(next) {
      quality = next;
    },
    close: () => end(server, agent),
  };
}

function end(server: Server, agent: Agent): void {
  server.closeAllConnections();
  server.close();
  agent.destroy();
}

/** Of connections, since they were asked the last time. */
function countBytes() {
  const open = new Set<Socket>();
  let [up, down, toldUp, toldDown] = [0, 0, 0, 0];
  return {
    watch(socket: Socket) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        up += socket.bytesRead;
        down += socket.bytesWritten;
      });
    },
    take() {
      const [allUp, allDown] = [...open].reduce(
        ([read, written], socket) => [read + socket.bytesRead, written + socket.bytesWritten],
        [up, down],
      ) as [number, number];
      const ran = { up: allUp - toldUp, down: allDown - toldDown };
      [toldUp, toldDown] = [allUp, allDown];
      return ran;
    },
  };
}

const enginesHeaders = [
  "accept",
  "authorization",
  "content-type",
  "content-length",
  "if-match",
  "idempotency-key",
];

function browsersBytes({ headers }: IncomingMessage): number {
  const added = Object.entries(headers).filter(([name]) => !enginesHeaders.includes(name));
  return added.reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function ask(
  port: number,
  agent: Agent,
  { asked, body }: { readonly asked: IncomingMessage; readonly body: Buffer },
): Promise<{ head: IncomingMessage; content: Buffer }> {
  const { method, url: path, headers } = asked;
  return new Promise((resolve, reject) => {
    const on = request({ host: "127.0.0.1", port, agent, method, path, headers }, (head) => {
      bodyOf(head).then((content) => resolve({ head, content }), reject);
    });
    on.on("error", reject);
    on.end(body);
  });
}
