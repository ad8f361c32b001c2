import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** A reverse proxy before several servers. */
export interface RoundRobin {
  /** Its origin. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Hands each request to the next server in turn, as a plain load balancer does. A server that can't be connected to is passed
 * over; an answer that breaks off breaks off, for whether a write was made is not known then.
 *
 * @param servers origins, such as `http://127.0.0.1:8080`
 */
export async function startRoundRobin(servers: readonly string[]): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  // Idle connections outlast any pause between two tests: one that ends as a request comes leaves it without an answer.
  const proxy = createServer(
    { requireHostHeader: false, keepAliveTimeout: 600_000 },
    (incoming, outgoing) => {
      forward({ incoming, outgoing, agent }, inTurn(servers, turn++));
    },
  );
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly agent: Agent;
}

/** Every server, that whose turn it is first. */
function inTurn(servers: readonly string[], turn: number): readonly string[] {
  const first = turn % servers.length;
  return [...servers.slice(first), ...servers.slice(0, first)];
}

function forward(exchange: Exchange, [server, ...others]: readonly string[]): void {
  const { incoming, outgoing, agent } = exchange;
  if (server === undefined) {
    outgoing.writeHead(502).end();
    return;
  }
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const { hostname, port } = new URL(server);
  const outward = request({ hostname, port, method, path: url, headers: rawHeaders, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  outward.on("error", (error) => {
    const nobodyThere = "code" in error && error.code === "ECONNREFUSED";
    if (nobodyThere && !outgoing.headersSent) forward(exchange, others);
    else outgoing.destroy();
  });
  // Only to a server that is there, as what was sent can't be sent again.
  outward.on("socket", (socket) => {
    if (socket.connecting) socket.once("connect", () => incoming.pipe(outward));
    else incoming.pipe(outward);
  });
}
