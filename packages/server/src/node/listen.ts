import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { isText, type OptionRule, optional, refuseWrongOptions } from "@fieldroll/core";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Handler } from "../http/handler.ts";
import { amount, handler as handlerRule, positive, text } from "../option-rules.ts";
import { ArrivingRequest } from "./arriving-request.ts";
import { answerEarly } from "./early-answers.ts";
import { createLinger } from "./linger.ts";
import { watchBodies } from "./unfinished-bodies.ts";
import { refuseExpectations, refuseGivenUp, refuseUnparsed, unanswered } from "./unreadable.ts";

export interface ListenOptions {
  readonly handler: Handler;
  /** 0 picks a free one. */
  readonly port: number;
  /** Default: 127.0.0.1, so that nothing outside this machine gets in. */
  readonly host?: string;
  /** How long running requests may take to finish at the close. Default: 10,000. */
  readonly graceMilliseconds?: number;
  /**
   * How long a request may take to arrive, its body included; a slower one is answered with 408. Default: 300,000, so that
   * a photo gets through a poor line.
   */
  readonly requestMilliseconds?: number;
  /**
   * How long a connection may be idle before it is ended. Default: 75,000, more than the minute after which load balancers let go of
   * theirs: who ends it first decides, and a request that meets the server's end on its way gets no answer.
   */
  readonly idleMilliseconds?: number;
  /**
   * How long a body may stand still, or come at less than 500 bytes a second, before its request is answered with 408.
   * Default: 20,000.
   */
  readonly stallMilliseconds?: number;
  /** How long the rest of a body is read and thrown away after an early answer. Default: 10,000. */
  readonly lingerMilliseconds?: number;
  /**
   * Memory for all bodies together that have not arrived to their end, in bytes; above it, the body that has held most for
   * longest is answered with 429. No body can be larger. Default: 64 MiB.
   */
  readonly unfinishedBytes?: number;
  /** Most connections at a time; one beyond them is closed at once. Default: 4,000. */
  readonly maxConnections?: number;
  /** Replaces `service` in the problems of requests that no handler can read. */
  readonly namespace?: string;
}

/** A server that listens. */
export interface Listening {
  /** Origin, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, waits for running ones, then ends every connection. */
  close(): Promise<void>;
}

const rules: Readonly<Record<string, OptionRule>> = {
  handler: handlerRule,
  // Node takes any other text for the name of a socket, and makes a file of it.
  port: [isPort, "a whole number from 0 to 65535, as a number; 0 picks a free one"],
  host: optional([
    (given) => isText(given) && given !== "",
    "the name or address of a host, such as 127.0.0.1",
  ]),
  graceMilliseconds: amount,
  requestMilliseconds: amount,
  idleMilliseconds: amount,
  stallMilliseconds: positive,
  lingerMilliseconds: positive,
  unfinishedBytes: positive,
  maxConnections: positive,
  namespace: text,
};

function isPort(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) >= 0 && Number(given) <= 65_535;
}

/**
 * Serves a handler over HTTP.
 *
 * @throws TypeError where an option is missing or of another kind
 * @throws when the port can't be had: says where and what to do, with the system's `code` (`EADDRINUSE`, `EACCES`, …), and its
 *   error as `cause`
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  refuseWrongOptions("listen", options, rules);
  const { handler, port, host = "127.0.0.1", graceMilliseconds = 10_000 } = options;
  const server = serverOf(handler, options);
  const connections = watchConnections(server);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(notListening(error, port, host));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${reachable(host)}:${actual}`,
    port: actual,
    close: () => close(server, connections, graceMilliseconds),
  };
}

/** Whoever embeds the listener reads this as it is. */
function notListening(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const { code = "" } = error;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there. End that one, or choose another port; 0 picks a free one",
    EACCES: "this user may not. Choose a port above 1023; 0 picks a free one",
    EADDRNOTAVAIL: "this machine has no such address. Choose one of its own, such as 127.0.0.1 or 0.0.0.0",
    ENOTFOUND: "there is no such host. Choose an address of this machine, such as 127.0.0.1 or 0.0.0.0",
  };
  const reason = reasons[code] ?? `the system refuses (${error.message})`;
  const message = `Port ${port} of ${host} can't be listened on: ${reason}.`;
  return Object.assign(new Error(message, { cause: error }), { code });
}

function serverOf(handler: Handler, options: ListenOptions): Server {
  const { namespace = "service", requestMilliseconds = 300_000, idleMilliseconds = 75_000 } = options;
  const { stallMilliseconds = 20_000, lingerMilliseconds = 10_000 } = options;
  const { unfinishedBytes = 64 * 1024 * 1024, maxConnections = 4000 } = options;
  const server = createServer({
    IncomingMessage: ArrivingRequest,
    // Node's own answer to a request without Host has no body; the listener makes a better one.
    requireHostHeader: false,
    keepAliveTimeout: idleMilliseconds,
    requestTimeout: requestMilliseconds,
    headersTimeout: Math.min(requestMilliseconds, 30_000),
    connectionsCheckingInterval: Math.min(requestMilliseconds / 4, 10_000),
  });
  server.maxConnections = maxConnections;
  const linger = createLinger(lingerMilliseconds);
  const arrivals = answerEarly(server, linger);
  const refusing = { namespace, linger, arrivals };
  const limits = { bytes: unfinishedBytes, milliseconds: stallMilliseconds };
  const bodies = watchBodies(limits, (request, why) => refuseGivenUp(request, why, refusing));
  server.once("close", bodies.stop);
  server.on("request", (incoming, outgoing) => {
    bodies.add(incoming);
    return answering(handler, incoming, namespace)(incoming, outgoing);
  });
  refuseUnparsed(server, refusing);
  refuseExpectations(server, namespace);
  return server;
}

function answering(handler: Handler, incoming: IncomingMessage, namespace: string) {
  const address = incoming.socket.remoteAddress;
  return getRequestListener(
    (request) => {
      if (hostsOf(incoming) > 1) throw new RequestError("two Host headers");
      return handler(request, address === undefined ? {} : { address });
    },
    {
      ...nameOf(incoming),
      // Hono would end a connection half a second after an early answer.
      autoCleanupIncoming: false,
      errorHandler: (error) => unanswered(error, incoming, namespace),
    },
  );
}

/** Node keeps the first of several (RFC 9112 section 3.2 has all of them refused): a proxy may have gone by another. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
}

/** HTTP/1.0 knows no `Host`, and plain probes of load balancers speak it: they mean the server at the address they reached. */
function nameOf({ httpVersion, socket }: IncomingMessage): { readonly hostname?: string } {
  const { localAddress, localPort } = socket;
  if (httpVersion !== "1.0" || localAddress === undefined) return {};
  return { hostname: `${reachable(localAddress.replace(/^::ffff:/, ""))}:${localPort}` };
}

/** An address that a browser of this machine can open; it trusts loopback enough for a service worker. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Knows which connections have a request running, so that the others can be ended: also those that never sent one. */
interface Connections {
  /** Ends idle connections now, and each other one after its answer. */
  drain(): void;
}

function watchConnections(server: Server): Connections {
  const running = new Map<Socket, number>();
  let draining = false;
  const endIfIdle = (socket: Socket) => {
    if (draining && (running.get(socket) ?? 0) === 0) socket.destroySoon();
  };
  server.on("connection", (socket) => {
    running.set(socket, 0);
    socket.once("close", () => running.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once("close", () => {
      if (running.has(socket)) running.set(socket, (running.get(socket) ?? 1) - 1);
      endIfIdle(socket);
    });
  });
  return {
    drain() {
      draining = true;
      for (const socket of running.keys()) endIfIdle(socket);
    },
  };
}

function close(server: Server, connections: Connections, graceMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    connections.drain();
  });
}
