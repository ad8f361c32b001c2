import { createMemoryStore } from "@fieldroll/core";
import { expose, wrap } from "comlink";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectFieldWorker } from "./page.ts";
import type { FieldWorker } from "./protocol.ts";
import { exposeFieldService, fieldWorker } from "./worker.ts";

const setup = { server: "http://registry.test/api/v2" };
const credentials = { clientId: "ana", clientSecret: "walks" };

describe("a page and a worker of two builds", () => {
  let ports: MessageChannel;
  const openStore = vi.fn(async () => createMemoryStore());
  beforeEach(() => {
    vi.stubGlobal("window", new EventTarget());
    vi.stubGlobal("document", new EventTarget());
    vi.stubGlobal("navigator", { onLine: false });
    openStore.mockClear();
    ports = new MessageChannel();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    for (const port of [ports.port1, ports.port2]) port.close();
  });
  const exposed = (build: string | undefined) => {
    const service = { automatic: false, copy: null };
    exposeFieldService({ openStore, service, endpoint: ports.port2, ...(build && { build }) });
  };

  it.each<[page: string | undefined, worker: string | undefined]>([
    ["one", "two"],
    ["one", undefined],
    [undefined, "two"],
  ])("%s and %s ask nothing of each other, and say so", async (page, worker) => {
    exposed(worker);
    const client = connectFieldWorker(ports.port1, { ...setup, ...(page && { build: page }) });
    expect(await client.signIn(credentials)).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    expect(client.status.current).toMatchObject({ phase: "safe-mode", safeMode: "other-build" });
    window.dispatchEvent(new Event("online"));
    await client.close();
    expect(openStore).not.toHaveBeenCalled();
  });

  it("do so too where the worker is of a version that knows no builds", async () => {
    const { hello: _, ...former } = fieldWorker({ openStore });
    expose(former, ports.port2);
    const client = connectFieldWorker(ports.port1, { ...setup, build: "one" });
    expect(await client.signIn(credentials)).toMatchObject({ ok: false });
    expect(client.status.current.safeMode).toBe("other-build");
    await client.close();
    expect(openStore).not.toHaveBeenCalled();
  });

  it("do so too where the page is of a version that asks for no build first", async () => {
    exposed("two");
    const former = wrap<FieldWorker>(ports.port1);
    await former.open({ ...setup, online: true, metered: false });
    expect(await former.status()).toMatchObject({ safeMode: "other-build" });
    expect(openStore).not.toHaveBeenCalled();
  });

  it("that are the same speak to each other", async () => {
    exposed("one");
    const client = connectFieldWorker(ports.port1, { ...setup, build: "one" });
    expect(await client.individuals.create({ active: true, name: { family: "Reyes" } })).toMatchObject({
      ok: true,
    });
    await client.close();
  });
});
