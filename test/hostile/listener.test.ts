import { connect, type Socket } from "node:net";
import { type Listening, type ListenOptions, listen } from "@fieldroll/server/node";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  authorization,
  client,
  clientsFile,
  serve,
  useCommandLine,
} from "../contract/support/command-line.ts";
import { makeTestServer } from "../serve.ts";

useCommandLine();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const mebibyte = 1024 * 1024;
const person = (value: string) =>
  JSON.stringify({
    type: "Individual",
    identifier: [{ system: "urn:gov:ph:nid", value }],
    name: { text: "Ana" },
  });

/** A server with a heap of 256 MB, and what its figures say. */
async function serveSmall() {
  vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=256");
  const server = await serve("--database", "memory:", "--clients", await clientsFile([client]));
  const headers = await authorization(server.authUrl);
  const { port } = new URL(server.url);
  return { ...server, headers, port: Number(port) };
}

async function figure(authUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${authUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Opens a connection and sends what it can of an upload that never ends. Resolves when all was sent or the server refused it. */
function sendStalled(port: number, head: readonly string[], body: Buffer) {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  const stalled = { received: "" };
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    stalled.received += chunk;
  });
  socket.write([...head, "", ""].join("\r\n"));
  return new Promise<typeof stalled>((resolve) => {
    socket.once("close", () => resolve(stalled));
    socket.write(body, () => resolve(stalled));
  });
}

const uploadHead = ({ Authorization }: Readonly<Record<string, string>>, framing: string) => [
  "POST /api/v2/Individual HTTP/1.1",
  "Host: registry.test",
  `Authorization: ${Authorization}`,
  "Content-Type: application/json",
  framing,
];

describe("bodies that are not sent to their end", () => {
  it.each([
    ["80 of 8 MiB", 80, `Content-Length: ${8 * mebibyte}`, Buffer.alloc(8 * mebibyte - 1, " ")],
    [
      "8 of 300,000 chunks of one byte",
      8,
      "Transfer-Encoding: chunked",
      Buffer.from("1\r\n \r\n".repeat(300_000)),
    ],
  ])(
    "%s take 64 MiB and what the process needs for it, and keep nobody out",
    async (_what, times, framing, body) => {
      const { authUrl, url, headers, port } = await serveSmall();
      const head = uploadHead(headers, framing);
      const memory = () => figure(authUrl, "process_resident_memory_bytes");
      const before = await memory();
      const stalled = [];
      let most = before;
      for (let sent = 0; sent < times; sent++) {
        stalled.push(await sendStalled(port, head, body));
        most = Math.max(most, await memory());
      }
      expect(most - before).toBeLessThan(220 * mebibyte);
      const refused = stalled.filter(({ received }) => received.startsWith("HTTP/1.1 429"));
      expect(refused.length).toBeGreaterThanOrEqual(times - 8);
      for (const { received } of refused) expect(received).toMatch(/^retry-after: 5\r$/im);
      const written = await fetch(`${url}/Individual`, { method: "POST", headers, body: person("1") });
      expect(written.status).toBe(201);
    },
    120_000,
  );
});

describe("the listener", () => {
  const open: Listening[] = [];
  afterEach(() => Promise.all(open.splice(0).map((made) => made.close())));

  async function answerTo(sent: string, options: Partial<ListenOptions> = {}) {
    const { handler } = await makeTestServer();
    const made = await listen({ handler, port: 0, ...options });
    open.push(made);
    const socket = connect(made.port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    socket.write(sent);
    await new Promise((resolve) => socket.once("close", resolve));
    return received;
  }

  it.each([
    ["the same", "registry.test"],
    ["another", "elsewhere.test"],
    ["an empty one", ""],
  ])("refuses a second Host that is %s", async (_which, host) => {
    const sent = `GET /healthz HTTP/1.1\r\nHost: registry.test\r\nhost: ${host}\r\nConnection: close\r\n\r\n`;
    const answer = await answerTo(sent);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"field":"Host"');
  });

  it.each([
    ["/healthz", "GET, HEAD, OPTIONS"],
    ["/api/v2/Individual", "GET, POST, HEAD, OPTIONS"],
    ["/api/v2/nothing", ""],
  ])("does not do TRACE at %s", async (path, allowed) => {
    const answer = await answerTo(
      `TRACE ${path} HTTP/1.1\r\nHost: registry.test\r\nCookie: secret\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain(`\r\nAllow: ${allowed}\r\n`);
    expect(answer).not.toContain("secret");
  });

  it("answers a body that stands still with 408", async () => {
    const { handler, clients } = await makeTestServer();
    const made = await listen({ handler, port: 0, stallMilliseconds: 50 });
    open.push(made);
    const headers = await authorization(made.url, clients.office);
    const stalled = await sendStalled(
      made.port,
      uploadHead(headers, "Content-Length: 100"),
      Buffer.from("{"),
    );
    await vi.waitFor(() => expect(stalled.received).toMatch(/^HTTP\/1\.1 408 /), { timeout: 15_000 });
  });

  it("closes a connection beyond the most at once, and takes others when there is room", async () => {
    const { handler } = await makeTestServer();
    const made = await listen({ handler, port: 0, maxConnections: 1 });
    open.push(made);
    const first = connect(made.port, "127.0.0.1");
    await new Promise((resolve) => first.once("connect", resolve));
    const second = connect(made.port, "127.0.0.1");
    second.on("error", () => {});
    second.resume();
    await new Promise((resolve) => second.once("close", resolve));
    first.destroy();
    const healthy = () => fetch(`${made.url}/healthz`, { headers: { Connection: "close" } });
    await vi.waitFor(async () => expect((await healthy()).status).toBe(200), { timeout: 15_000 });
  });
});
