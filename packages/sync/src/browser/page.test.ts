import { createMemoryStore, type Store } from "@fieldroll/core";
import { expose } from "comlink";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Timers } from "../ports.ts";
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

  it("are refused at once with an option that there is not", () => {
    const wrong = { ...setup, feed: ["all"] };
    expect(() => connectFieldWorker(new MessageChannel().port1, wrong)).toThrow(
      new TypeError('connectFieldWorker: there is no option feed: did you mean "feeds"?'),
    );
  });

  it("say what is wrong with an option", async () => {
    const { port1, port2 } = new MessageChannel();
    const service = { automatic: false, copy: null };
    expose(fieldWorker({ openStore: async () => createMemoryStore(), service }), port2);
    const client = connectFieldWorker(port1, { ...setup, feeds: [] });
    const words = /^The options: feeds must be a list of feeds: "all"/;
    await expect(client.signIn(credentials)).rejects.toThrow(words);
    expect(client.status.current.lastError).toMatch(words);
    for (const port of [port1, port2]) port.close();
  });

  it("say that the client was closed, whether or not the worker is still there to say so", async () => {
    const { port1, port2 } = new MessageChannel();
    const service = { automatic: false, copy: null };
    expose(fieldWorker({ openStore: async () => createMemoryStore(), service }), port2);
    const client = connectFieldWorker(port1, setup);
    await client.close();
    for (const port of [port1, port2]) port.close();
    await expect(client.sync()).rejects.toThrow("This client was closed; make another one.");
    await client.close();
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
    expect(client.status.current).toMatchObject({
      phase: "safe-mode",
      safeMode: "not-loaded",
      lastError: detail,
    });
    await client.close();
  });

  it("go on by themselves with another worker, once its script can be loaded", async () => {
    const broken = Object.assign(new EventTarget(), { postMessage: () => undefined });
    const { port1, port2 } = new MessageChannel();
    const service = {
      automatic: false,
      fetch: () => Promise.reject(new TypeError("no network")),
      copy: null,
    };
    expose(fieldWorker({ openStore: async () => createMemoryStore(), service }), port2);
    const workers = [broken, port1];
    const waits = new Map<number, () => void>();
    const timers: Timers = {
      set(delay, run) {
        waits.set(delay, run);
        return () => waits.delete(delay);
      },
    };
    const client = connectFieldWorker(() => workers.shift() ?? broken, setup, timers);
    broken.dispatchEvent(new Event("error"));
    expect((await client.sync()).safeMode).toBe("not-loaded");
    const heard = new Promise<number>((resolve) => client.changed.subscribe(resolve));
    waits.get(5_000)?.();
    expect(await heard).toBeGreaterThan(0);
    expect(client.status.current).toMatchObject({ safeMode: null });
    expect(await client.individuals.create({ active: true, name: { family: "Reyes" } })).toMatchObject({
      ok: true,
    });
    await client.close();
    for (const port of [port1, port2]) port.close();
  });

  describe("that has said nothing yet", () => {
    const person = { active: true, name: { family: "Reyes" } };
    const detail = expect.stringMatching(/has not answered yet.*does its worker call exposeFieldService\?/);
    let ports: MessageChannel;
    beforeEach(() => {
      ports = new MessageChannel();
    });
    afterEach(() => {
      for (const port of [ports.port1, ports.port2]) port.close();
    });

    /** The timer of a page, which runs out when the test says so, of what the page waits for at each time. */
    function handTimer() {
      let next: (() => void) | undefined;
      const timers: Timers = {
        set(delay, run) {
          expect(delay).toBe(1_000);
          next = run;
          return () => {
            if (next === run) next = undefined;
          };
        },
      };
      const pass = (seconds: number) => {
        for (let second = 0; second < seconds; second++) next?.();
      };
      return { timers, pass, isSet: () => next !== undefined };
    }

    const expose = (openStore: () => Promise<Store> = async () => createMemoryStore()) => {
      const fetch = () => Promise.reject(new TypeError("no network"));
      const service = { automatic: false, fetch, copy: null };
      exposeFieldService({ openStore, service, endpoint: ports.port2 });
    };

    it("are told so in words after a while, and what waited is refused", async () => {
      const { timers, pass } = handTimer();
      const client = connectFieldWorker(ports.port1, setup, timers);
      const waiting = client.individuals.create(person);
      pass(179);
      await Promise.resolve();
      expect(client.status.current).toMatchObject({ phase: "stopped", lastError: null });
      pass(1);
      expect(await waiting).toEqual({ ok: false, problem: { kind: "unavailable", detail } });
      expect(client.status.current).toMatchObject({ phase: "safe-mode", lastError: detail });
      await client.close();
    });

    it("go on when the worker answers all the same: all is to be read again, and nothing that was refused is done", async () => {
      const { timers, pass } = handTimer();
      const client = connectFieldWorker(ports.port1, setup, timers);
      const waiting = client.individuals.create(person);
      pass(180);
      expect(await waiting).toMatchObject({ ok: false });
      const changed = new Promise<number>((resolve) => client.changed.subscribe(resolve));
      expose();
      expect(await changed).toBeGreaterThan(0);
      expect(client.status.current).toMatchObject({ lastError: null, pending: 0 });
      expect(client.status.current.phase).not.toBe("safe-mode");
      expect(await client.individuals.create(person)).toMatchObject({ ok: true });
      await expect.poll(() => client.status.current.pending).toBe(1);
      await client.close();
    });

    it("find each other when the worker listens only after it was asked", async () => {
      const { timers, pass } = handTimer();
      const lost = vi.fn();
      ports.port2.addEventListener("message", lost);
      ports.port2.start();
      const client = connectFieldWorker(ports.port1, setup, timers);
      await expect.poll(() => lost.mock.calls.length).toBe(1);
      expose();
      pass(1);
      expect(await client.individuals.create(person)).toMatchObject({ ok: true });
      await client.close();
    });

    it("end with its store closed where the page closes while that is opened", async () => {
      const client = connectFieldWorker(ports.port1, setup, handTimer().timers);
      const steps: string[] = [];
      let open: () => void = () => undefined;
      const store = createMemoryStore();
      const close = async () => void steps.push("store closed");
      const opening = new Promise<void>((begun) => {
        expose(() => {
          begun();
          return new Promise((resolve) => {
            open = () => resolve({ ...store, close });
          });
        });
      });
      await opening;
      const closing = client.close().then(() => steps.push("page closed"));
      open();
      await closing;
      expect(steps).toEqual(["store closed", "page closed"]);
    });

    it("leave a worker without a store that comes when the page has closed", async () => {
      const { timers, pass } = handTimer();
      const client = connectFieldWorker(ports.port1, setup, timers);
      pass(180);
      await client.close();
      const openStore = vi.fn(async () => createMemoryStore());
      const answered = new Promise((resolve) => ports.port1.addEventListener("message", resolve));
      expose(openStore);
      await answered;
      await new Promise(setImmediate);
      expect(openStore).not.toHaveBeenCalled();
    });

    it("wait for a worker that is there for as long as its records take to open", async () => {
      const { timers, pass, isSet } = handTimer();
      const client = connectFieldWorker(ports.port1, setup, timers);
      let open: (store: Store) => void = () => undefined;
      expose(
        () =>
          new Promise<Store>((resolve) => {
            open = resolve;
          }),
      );
      const waiting = client.individuals.create(person);
      await expect.poll(isSet).toBe(false);
      pass(180);
      open(createMemoryStore());
      expect(await waiting).toMatchObject({ ok: true });
      await client.close();
    });
  });
});
