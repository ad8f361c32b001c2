import { connect, type Socket } from "node:net";

/** One request in bytes, and what to do with its answer. */
export interface Shot {
  readonly bytes: string;
  /** Told the answer, when the next request depends on it. */
  readonly onAnswer?: (answer: Answer) => void;
}

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export function requestText(
  method: string,
  target: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): string {
  const all = {
    Host: "127.0.0.1",
    ...headers,
    ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

/**
 * A keep-alive connection that sends one request after the other. It parses no more of HTTP than it must, so that on a
 * small machine the load costs little beside the server.
 */
export class Connection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#settle();
    });
    socket.on("close", () => this.#waiting?.reject(new Error("the server closed the connection")));
    socket.on("error", (error) => this.#waiting?.reject(error));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () =>
        resolve(new Connection(socket)),
      );
      socket.once("error", reject);
    });
  }

  send(bytes: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #settle(): void {
    const text = this.#received.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = text.slice(0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    const chunked = length === undefined && /transfer-encoding: chunked/i.test(head);
    const rest = text.slice(end + 4);
    if (chunked ? !rest.endsWith("0\r\n\r\n") : rest.length < Number(length ?? 0)) return;
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body: rest });
  }
}

/** Sends as fast as answers come, on so many connections, and tells answers a second. Other statuses than 2xx are faults. */
export async function rate(
  port: number,
  {
    connections,
    seconds,
    next,
  }: { readonly connections: number; readonly seconds: number; readonly next: (connection: number) => Shot },
): Promise<number> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let count = 0;
  await Promise.all(
    open.map(async (connection, i) => {
      while (performance.now() < end) {
        const { bytes, onAnswer } = next(i);
        const answer = await connection.send(bytes);
        if (answer.status >= 300)
          throw new Error(`${bytes.split("\r\n")[0]}: ${answer.status} ${answer.body}`);
        onAnswer?.(answer);
        count += 1;
      }
    }),
  );
  const elapsed = performance.now() - begin;
  for (const connection of open) connection.close();
  return (count * 1000) / elapsed;
}

/** Sends requests one after the other on one connection; answers how long each took, in milliseconds. */
export async function latencies(port: number, requests: readonly string[]): Promise<readonly number[]> {
  const connection = await Connection.open(port);
  const times: number[] = [];
  for (const bytes of requests) {
    const begin = performance.now();
    const { status, body } = await connection.send(bytes);
    times.push(performance.now() - begin);
    if (status !== 200) throw new Error(`${bytes.split("\r\n")[0]}: ${status} ${body}`);
  }
  connection.close();
  return times;
}
