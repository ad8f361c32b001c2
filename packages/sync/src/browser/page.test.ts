import { createMemoryStore } from "@fieldroll/core";
import { expose } from "comlink";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectFieldWorker } from "./page.ts";
import { exposeFieldService, fieldWorker } from "./worker.ts";

const setup = { server: "http://registry.test/api/v2" };
const credentials = { clientId: "ana", clientSecret: "walks" };

describe("a page and its worker", () => {
  beforeEach(() => {
    vi.stubGlobal("window", new EventTarget());
    vi.stubGlobal("document", new EventTarget());
    vi.stubGlobal("navigator", { onLine: false });
  });
  afterEach(() => vi.unstubAllGlobals());

  it("are refused at once where there is none", () => {
    expect(() => connectFieldWorker(undefined as never, setup)).toThrow(
      new TypeError("connectFieldWorker: worker must be a Worker."),
    );
    for (const options of [undefined, {}]) {
      expect(() => exposeFieldService(options as never)).toThrow(
        new TypeError("exposeFieldService: openStore must be a function that opens a store."),
      );
    }
  });

  it("speak to each other once the worker is there", async () => {
    const { port1, port2 } = new MessageChannel();
    const fetch = () => Promise.reject(new TypeError("no network"));
    const service = { automatic: false, fetch, copy: null };
    expose(fieldWorker({ openStore: async () => createMemoryStore(), service }), port2);
    const client = connectFieldWorker(port1, setup);
    expect(await client.individuals.create({ active: true, name: { family: "Reyes" } })).toMatchObject({
      ok: true,
    });
    await client.close();
    for (const port of [port1, port2]) port.close();
  });

  it("say that the worker could not be loaded, and refuse what nobody would keep", async () => {
    const worker = Object.assign(new EventTarget(), { postMessage: () => undefined });
    const client = connectFieldWorker(worker, setup);
    const signingIn = client.signIn(credentials);
    worker.dispatchEvent(new Event("error"));
    const detail = expect.stringMatching(/could not be loaded/);
    expect(await signingIn).toEqual({ ok: false, problem: { kind: "unavailable", detail } });
    expect(await client.sync()).toMatchObject({ phase: "safe-mode", lastError: detail });
    expect(client.status.current).toMatchObject({ phase: "safe-mode", lastError: detail });
    await client.close();
  });
});
