import { readdir } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readJson } from "../http/body.ts";
import type { Handler } from "../http/handler.ts";
import { type Listening, listen } from "./listen.ts";

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function listening(handler: Handler): Promise<Listening> {
  const made = await listen({ handler, port: 0 });
  open.push(made);
  return made;
}

const rawGet = (port: number, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, path, host: "127.0.0.1" }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    sent.on("error", reject);
    sent.end();
  });

it("picks a free port and tells its address", async () => {
  const { url, port } = await listening(async () => new Response("here"));
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(await (await fetch(url)).text()).toBe("here");
});

it.each<[string, object, string]>([
  [
    "a port that is a text",
    { port: "abc" },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "a number in a text",
    { port: "8080" },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "no port",
    { port: undefined },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "a port beyond all",
    { port: 65_536 },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "a port below all",
    { port: -1 },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "half a port",
    { port: 1.5 },
    "port must be a whole number from 0 to 65535, as a number; 0 picks a free one.",
  ],
  [
    "no handler",
    { handler: undefined },
    "handler must be a function of a Request, such as createHandler makes.",
  ],
  ["a host that is no text", { host: 127 }, "host must be the name or address of a host, such as 127.0.0.1."],
  ["a wait that is a text", { graceMilliseconds: "1s" }, "graceMilliseconds must be a number, 0 or more."],
])("refuses %s, and makes no file of it", async (_, wrong, sentence) => {
  const before = await readdir(".");
  const options = { handler: async () => new Response(), port: 0, ...wrong };
  await expect(listen(options)).rejects.toThrow(new TypeError(`listen: ${sentence}`));
  expect(await readdir(".")).toEqual(before);
});

it("hands over the path as it was sent, and the caller's address", async () => {
  const seen: unknown[] = [];
  const { port } = await listening(async (incoming, peer) => {
    seen.push(incoming.url, peer?.address);
    return new Response();
  });
  await rawGet(port, "/a//b%2Fc%7C1|2%23");
  expect(seen).toEqual([`http://127.0.0.1:${port}/a//b%2Fc%7C1|2%23`, "127.0.0.1"]);
});

it("answers HTTP/1.0 without Host as the server at its address, as plain load balancers ask", async () => {
  const seen: string[] = [];
  const { port } = await listening(async (incoming) => {
    seen.push(incoming.url);
    return Response.json({ status: "ok" });
  });
  const { status } = await exchange(port, Buffer.from("GET /healthz HTTP/1.0\r\n\r\n"));
  expect([status, ...seen]).toEqual([200, `http://127.0.0.1:${port}/healthz`]);
  await exchange(port, Buffer.from("GET /healthz HTTP/1.0\r\nHost: registry.test\r\n\r\n"));
  expect(seen[1]).toBe("http://registry.test/healthz");
});

it("rejects with the system's code when the port is taken, and says what to do", async () => {
  const { port } = await listening(async () => new Response());
  await expect(listen({ handler: async () => new Response(), port })).rejects.toMatchObject({
    code: "EADDRINUSE",
    message: `Port ${port} of 127.0.0.1 can't be listened on: another program listens there. End that one, or choose another port; 0 picks a free one.`,
    cause: { syscall: "listen" },
  });
});

it("says so of an address that this machine has not", async () => {
  const listened = listen({ handler: async () => new Response(), port: 0, host: "192.0.2.1" });
  await expect(listened).rejects.toMatchObject({
    code: "EADDRNOTAVAIL",
    message: expect.stringContaining("this machine has no such address"),
  });
});

it("finishes running requests at the close, then ends kept-alive connections", async () => {
  let release: (() => void) | undefined;
  let entered: (() => void) | undefined;
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const handler: Handler = async () => {
    entered?.();
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return new Response("done");
  };
  const { url, close } = await listen({ handler, port: 0 });
  const answer = fetch(url, { headers: { Connection: "keep-alive" } });
  await inside;
  const closing = close();
  release?.();
  expect(await (await answer).text()).toBe("done");
  await closing;
  await expect(fetch(url)).rejects.toThrow();
});

it.each([
  ["longer than load balancers keep them", {}, "timeout=75"],
  ["as long as it is told", { idleMilliseconds: 2000 }, "timeout=2"],
] as const)("keeps idle connections %s, and says so", async (_case, options, said) => {
  const made = await listen({ handler: async () => new Response(), port: 0, ...options });
  open.push(made);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port: made.port, host: "127.0.0.1", agent: new Agent({ keepAlive: true }) }, resolve)
      .on("error", reject)
      .end();
  });
  answer.resume();
  expect(answer.headers["keep-alive"]).toBe(said);
});

it("ends connections that sent nothing", async () => {
  const { port, close } = await listen({ handler: async () => new Response(), port: 0 });
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await close();
  await ended;
});

/** Sends bytes as they are and reads until the server ends the connection. */
async function exchange(port: number, bytes: Buffer) {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk) => received.push(chunk));
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  const [head = "", body = ""] = Buffer.concat(received).toString("utf8").split("\r\n\r\n");
  const [line = "", ...headers] = head.split("\r\n");
  return {
    status: Number(line.split(" ")[1]),
    headers: new Headers(headers.map((header) => header.split(": ", 2) as [string, string])),
    body: JSON.parse(body) as Record<string, unknown>,
  };
}

describe("a request that no handler can read is answered with a problem", () => {
  const host = "Host: registry.test\r\nConnection: close\r\n";
  type Expected = { status: number; kind: string; instance: string; field?: string };
  const cases: readonly (readonly [string, string, Expected])[] = [
    [
      "raw UTF-8 in the address",
      `GET /a/Ñ?x HTTP/1.1\r\n${host}\r\n`,
      { status: 400, kind: "bad-request", instance: "/a/%C3%91" },
    ],
    [
      "headers of 20 kB",
      `GET /a HTTP/1.1\r\n${host}X-Long: ${"x".repeat(20_000)}\r\n\r\n`,
      { status: 431, kind: "payload-too-large", instance: "/a" },
    ],
    [
      "an unknown method",
      `SING /a HTTP/1.1\r\n${host}\r\n`,
      { status: 400, kind: "bad-request", instance: "/a" },
    ],
    ["no HTTP", "hello\r\n\r\n", { status: 400, kind: "bad-request", instance: "/" }],
    [
      "a bad Host",
      "GET /a HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
      { status: 400, kind: "bad-request", instance: "/a", field: "Host" },
    ],
    [
      "no Host",
      "GET /a HTTP/1.1\r\nConnection: close\r\n\r\n",
      { status: 400, kind: "bad-request", instance: "/a", field: "Host" },
    ],
    [
      "an unknown expectation",
      `POST /a?b HTTP/1.1\r\n${host}Expect: x\r\nContent-Length: 2\r\n\r\n{}`,
      { status: 417, kind: "bad-request", instance: "/a", field: "Expect" },
    ],
    [
      "a handler that fails",
      `GET /fail HTTP/1.1\r\n${host}\r\n`,
      { status: 500, kind: "internal", instance: "/fail" },
    ],
  ];
  it.each(cases)("%s", async (_case, sent, { status, kind, instance, field = "" }) => {
    const { port } = await listening(async () => {
      throw new Error("SELECT secret");
    });
    const answer = await exchange(port, Buffer.from(sent));
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      type: `urn:service:error:${kind}`,
      title: expect.any(String),
      status,
      detail: expect.not.stringContaining("SELECT"),
      instance,
      ...(kind === "bad-request" && {
        errors: [{ field, code: "malformed_request", message: answer.body.detail }],
      }),
    });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/problem+json",
      "x-api-version": "2.0",
      "x-request-id": expect.stringMatching(/./),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      connection: "close",
      date: expect.stringContaining("GMT"),
    });
  });

  it("in the deployment's own namespace", async () => {
    const made = await listen({ handler: async () => new Response(), port: 0, namespace: "acme" });
    open.push(made);
    const { body } = await exchange(made.port, Buffer.from("hello\r\n\r\n"));
    expect(body.type).toBe("urn:acme:error:bad-request");
  });

  it("unless an answer to it has begun", async () => {
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("begun")) });
    const { port } = await listening(async () => new Response(stream));
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
      if (received.includes("begun")) socket.write("hello\r\n\r\n");
    });
    socket.on("error", () => {});
    socket.write(`GET / HTTP/1.1\r\n${host.replace("close", "keep-alive")}\r\n`);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(received).not.toContain("problem");
  });
});

describe("a request that does not arrive", () => {
  const unfinished: readonly (readonly [string, string])[] = [
    ["its headers", "POST /a HTTP/1.1\r\nHost: registry.test\r\nX-"],
    ["its body", 'POST /a HTTP/1.1\r\nHost: registry.test\r\nContent-Length: 100\r\n\r\n{"type":'],
    ["its chunks", "POST /a HTTP/1.1\r\nHost: registry.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"],
  ];
  it.each(unfinished)("without the rest of %s is ended with 408", async (_part, sent) => {
    const bodies: unknown[] = [];
    const handler: Handler = async (request) => {
      bodies.push(
        await readJson(
          { request, quota: { charge: () => undefined }, budget: { handle: async () => undefined } },
          [""],
        ),
      );
      return new Response(null, { status: 204 });
    };
    const made = await listen({ handler, port: 0, requestMilliseconds: 200 });
    open.push(made);
    const { status, headers } = await exchange(made.port, Buffer.from(sent));
    expect([status, headers.get("connection")]).toEqual([408, "close"]);
    for (const body of bodies) expect(body).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
  });

  it("is a bad request to a handler when its caller goes away", async () => {
    let told: ((body: unknown) => void) | undefined;
    const read = new Promise((resolve) => {
      told = resolve;
    });
    const { port } = await listening(async (request) => {
      socket.destroy();
      told?.(
        await readJson(
          { request, quota: { charge: () => undefined }, budget: { handle: async () => undefined } },
          [""],
        ),
      );
      return new Response();
    });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write('POST /a HTTP/1.1\r\nHost: registry.test\r\nContent-Length: 100\r\n\r\n{"type":');
    expect(await read).toMatchObject({ ok: false, problem: { kind: "bad-request" } });
  });
});

it.each(["GET", "HEAD"])(
  "answers %s although it has a body, and the next request on the connection",
  async (method) => {
    const { port } = await listening(
      async (request) => new Response(null, { headers: { Seen: request.method } }),
    );
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    const host = "Host: registry.test\r\n";
    socket.write(`${method} /a HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`);
    socket.write(`DELETE /b HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once("close", resolve));
    expect([...received.matchAll(/seen: (\w+)/gi)].map(([, seen]) => seen)).toEqual([method, "DELETE"]);
  },
);

it("refuses a header that would begin another", async () => {
  const { port } = await listening(async () => new Response());
  const sent = "GET /a HTTP/1.1\r\nHost: registry.test\r\nX-Request-Id: a\0b\r\nConnection: close\r\n\r\n";
  expect((await exchange(port, Buffer.from(sent))).status).toBe(400);
});
