import { connect, type Socket } from "node:net";
import type { Handler } from "@fieldroll/server";
import { type Listening, type ListenOptions, listen } from "@fieldroll/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestServer } from "../serve.ts";
import { byCurl, byFetch, byNode, byUrllib, isThere, type Sender, type Upload } from "./uploads.ts";

const open: Listening[] = [];
const mebibyte = 1024 * 1024;
let token = "";
let handler: Handler;
let url = "";

async function listening(options: Partial<ListenOptions> = {}): Promise<Listening> {
  const made = await listen({ handler, port: 0, ...options });
  open.push(made);
  return made;
}

beforeAll(async () => {
  const server = await makeTestServer();
  handler = async (request, peer) =>
    request.url.endsWith("/limited")
      ? Response.json({ status: 429 }, { status: 429, headers: { "Retry-After": "1" } })
      : server.handler(request, peer);
  url = (await listening()).url;
  const { id, secret } = server.clients.office;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
  });
  const granted = await fetch(`${url}/oauth2/token`, { method: "POST", body });
  token = ((await granted.json()) as { access_token: string }).access_token;
});

afterAll(async () => {
  await Promise.all(open.map((made) => made.close()));
});

const json = { "Content-Type": "application/json" };
const tooLarge = Buffer.alloc(8 * mebibyte + 1, " ");
const large = tooLarge.subarray(0, 2 * mebibyte);
const api = "/api/v2";
const approval = `${api}/entitlements/018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f/approve`;
type Refusal = readonly [status: number, path: string, headers?: Readonly<Record<string, string>>];
const refusals: readonly Refusal[] = [
  [413, `${api}/Individual`],
  [401, `${api}/Individual`, { Authorization: "Bearer wrong" }],
  [403, approval],
  [415, `${api}/Individual`, { "Content-Type": "text/plain" }],
  [404, `${api}/nothing`],
  [405, `${api}/metadata`],
  [429, "/limited"],
];

function uploadOf([status, path, more]: Refusal, framing: Upload["framing"]): Upload {
  const headers = { ...json, Authorization: `Bearer ${token}`, ...more };
  return { url: url + path, headers, body: status === 413 ? tooLarge : large, framing };
}

const inProcess: readonly (readonly [string, Sender])[] = [
  ["node:http", byNode],
  ["fetch", byFetch],
];
const commands: readonly (readonly [string, Sender])[] = [
  ["curl", byCurl],
  ["python3", byUrllib],
];

describe.each(["Content-Length", "chunked"] as const)(
  "an answer before the end of a body sent with %s reaches",
  (framing) => {
    it.each(inProcess)("%s, 60 times", async (_client, send) => {
      const sixty = Array.from({ length: 60 }, (_, time) => refusals[time % refusals.length] ?? refusals[0]);
      for (const refusal of sixty.filter((one) => one !== undefined)) {
        expect(await send([uploadOf(refusal, framing)])).toEqual([refusal[0]]);
      }
    });

    for (const [command, send] of commands) {
      const there = isThere(command);
      it.skipIf(!there)(`${command}${there ? "" : " (which this machine does not have)"}`, async () => {
        const sent = await send(refusals.map((refusal) => uploadOf(refusal, framing)));
        expect(sent).toEqual(refusals.map(([status]) => status));
      });
    }
  },
);

/** A connection of which everything is gathered. */
interface Line {
  readonly socket: Socket;
  received(): string;
  /** Resolves when the text has come. */
  until(text: string): Promise<void>;
  /** Resolves with the error of the connection, if it had one, when it is closed. */
  readonly closed: Promise<string | undefined>;
}

function lineTo(port: number): Line {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  let fault: string | undefined;
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    fault = error.code;
  });
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (received.includes(text)) resolve();
      };
      socket.on("data", look);
      socket.once("close", () => reject(new Error(`closed before ${text}: ${received}`)));
      look();
    });
  const closed = new Promise<string | undefined>((resolve) => socket.once("close", () => resolve(fault)));
  return { socket, received: () => received, until, closed };
}

const head = (method: string, path: string, ...more: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, "Host: registry.test", ...more, "", ""].join("\r\n");
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe("after an answer before the end of the body", () => {
  it.each([
    ["Content-Length", "Content-Length: 300000", "x".repeat(300_000)],
    ["chunked", "Transfer-Encoding: chunked", `493e0\r\n${"x".repeat(300_000)}\r\n0\r\n\r\n`],
  ])("the connection goes on where the rest is small (%s)", async (_framing, length, body) => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    socket.write(head("POST", `${api}/Individual`, "Content-Type: application/json", length));
    await until("401 Unauthorized");
    socket.write(body + head("GET", "/healthz", "Connection: close"));
    await until('{"status":"ok"}');
    socket.end();
    expect([statuses(received()), await closed]).toEqual([[401, 200], undefined]);
  });

  it.each([
    ["Content-Length", "Content-Length: 99000000"],
    ["chunked", "Transfer-Encoding: chunked"],
  ])(
    "one that goes on sending slowly sees the end of the connection, and no reset before (%s)",
    async (_framing, length) => {
      const { socket, received, closed } = lineTo((await listening({ lingerMilliseconds: 100 })).port);
      const ended = new Promise((resolve) => socket.once("end", () => resolve(received())));
      socket.write(head("POST", `${api}/Individual`, "Content-Type: application/json", length));
      expect(statuses(String(await ended))).toEqual([401]);
      socket.end();
      expect(await closed).toBeUndefined();
    },
  );

  it("one that goes on sending fast is read to 16 MiB, and then sees the end", async () => {
    const { socket, received, closed } = lineTo((await listening({ lingerMilliseconds: 60_000 })).port);
    const ended = new Promise<string>((resolve) => socket.once("end", () => resolve(received())));
    socket.write(
      head("POST", `${api}/Individual`, "Content-Type: application/json", `Content-Length: ${1e9}`),
    );
    const send = () => {
      while (socket.writable && socket.write(large));
    };
    socket.on("drain", send);
    send();
    expect(statuses(await ended)).toEqual([401]);
    await closed;
    expect(socket.bytesWritten).toBeGreaterThan(16 * mebibyte);
  });

  it("one that said Connection: close is read on", async () => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    const length = `Content-Length: ${large.length}`;
    socket.write(head("POST", "/limited", "Connection: close", length));
    await until("429 Too Many Requests");
    await new Promise((resolve) => socket.end(large, () => resolve(undefined)));
    expect([statuses(received()), await closed]).toEqual([[429], undefined]);
  });

  it.each([
    ["headers of 20 kB", `GET / HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}`, 431],
    ["no HTTP", "hello\r\n\r\n", 400],
    ["an unknown expectation", head("POST", "/a", "Expect: x", "Content-Length: 99000000"), 417],
  ])("that refuses %s, one that sends on is not reset", async (_what, sent, status) => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    socket.write(sent);
    await until("problem+json");
    await new Promise((resolve) => socket.end(large, () => resolve(undefined)));
    expect([statuses(received()), await closed]).toEqual([[status], undefined]);
  });

  it("a rest that is malformed gets no second answer", async () => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    socket.write(head("POST", "/limited", "Transfer-Encoding: chunked"));
    await until("429 Too Many Requests");
    socket.end("no chunk\r\n");
    await closed;
    expect(statuses(received())).toEqual([429]);
  });
});

describe("Expect: 100-continue", () => {
  const person = JSON.stringify({
    type: "Individual",
    identifier: [{ system: "urn:gov:ph:nid", value: "continued" }],
    name: { text: "Ana" },
  });
  const asking = [
    "Expect: 100-continue",
    `Content-Length: ${person.length}`,
    "Content-Type: application/json",
  ];

  it("is answered with the refusal alone where the body is not wanted, and the connection ends", async () => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    socket.write(head("POST", `${api}/Individual`, ...asking));
    await until("401 Unauthorized");
    socket.end();
    await closed;
    expect(statuses(received())).toEqual([401]);
    expect(received()).toMatch(/^connection: close\r$/im);
  });

  it("is answered with 100 where it is, and then with the answer", async () => {
    const { socket, received, until, closed } = lineTo((await listening()).port);
    const lines = [...asking, `Authorization: Bearer ${token}`, "Connection: close"];
    socket.write(head("POST", `${api}/Individual`, ...lines));
    await until("100 Continue");
    socket.write(person);
    await until("201 Created");
    socket.end();
    await closed;
    expect(statuses(received())).toEqual([100, 201]);
  });
});
