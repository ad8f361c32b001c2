import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
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

it("hands over the path as it was sent, and the caller's address", async () => {
  const seen: unknown[] = [];
  const { port } = await listening(async (incoming, peer) => {
    seen.push(incoming.url, peer?.address);
    return new Response();
  });
  await rawGet(port, "/a//b%2Fc%7C1|2%23");
  expect(seen).toEqual([`http://127.0.0.1:${port}/a//b%2Fc%7C1|2%23`, "127.0.0.1"]);
});

it("rejects with the system's code when the port is taken", async () => {
  const { port } = await listening(async () => new Response());
  await expect(listen({ handler: async () => new Response(), port })).rejects.toMatchObject({
    code: "EADDRINUSE",
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

it("ends connections that sent nothing", async () => {
  const { port, close } = await listen({ handler: async () => new Response(), port: 0 });
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await close();
  await ended;
});
