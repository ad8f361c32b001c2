import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { differences, violations } from "../../../.scripts/kills/oracle.ts";
import { listenTo, noPromises, type Promises } from "../../../.scripts/kills/promises.ts";
import { describeInChromium } from "../describe-in-chromium.ts";
import { emulateNetwork } from "./stage/network.ts";
import { openRegister, type Register } from "./stage/register.ts";
import { drain, openTablet, signInOn, type Tablet } from "./stage/tablet.ts";

const soon = { timeout: 90_000, interval: 250 };

describeInChromium("A tablet on a poor network, left to itself", (executablePath) => {
  let register: Register;
  let tablet: Tablet;
  let promises: Promises;
  const all: Promises[] = [];
  const tab = () => tablet.tab();

  beforeAll(async () => {
    register = await openRegister(300);
  });
  afterAll(() => register.close());
  beforeEach(async () => {
    promises = noPromises();
    all.push(promises);
    register.gate.watch(() => undefined);
    const { folder, gate } = register;
    const heard = listenTo(promises, () => undefined);
    tablet = await openTablet({
      executablePath,
      folder,
      name: `network-${all.length}`,
      server: gate.port,
      heard,
    });
    await signInOn(tab());
    await drain(tab());
  });
  afterEach(() => tablet.close());

  async function edit(life: string, least: number): Promise<void> {
    await tab().call("startEditing", { life, seed: 1, references: register.people.slice(0, 12), hands: 2 });
    await expect.poll(() => promises.done.size, soon).toBeGreaterThan(least);
    await tab().call("stopEditing");
  }

  /** The engine finished by itself; nobody asked it to sync. */
  async function expectArrived(): Promise<void> {
    await expect
      .poll(() => tab().call("status"), soon)
      .toMatchObject({ phase: "idle", pending: 0, sending: 0, parked: 0 });
    const everyone = await register.everyone();
    const { ledger } = register.gate;
    expect(violations({ everyone, ledger, office: new Map(), promises: all })).toEqual([]);
    await expect
      .poll(async () => differences(await tab().call("everyone"), await register.everyone()), soon)
      .toEqual([]);
  }

  it("says that it is offline, takes edits, and sends them when the network is back", async () => {
    const context = tab().page.context();
    await context.setOffline(true);
    const before = register.gate.ledger.length;
    await edit("offline", 20);
    await expect.poll(() => tab().call("status"), soon).toMatchObject({ phase: "offline" });
    expect(register.gate.ledger.length).toBe(before);
    await context.setOffline(false);
    await expectArrived();
  });

  it("sends them over a slow network", async () => {
    const bytesPerSecond = 30_000;
    await emulateNetwork(tab().page, {
      offline: false,
      latency: 600,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    const started = performance.now();
    await tab().call("sync");
    expect(performance.now() - started).toBeGreaterThan(600);
    await edit("slow", 20);
    await expectArrived();
  });

  it("sends each once where requests and answers are lost now and then", async () => {
    const counts = new Map<string, number>();
    register.gate.watch((event) => {
      const count = (counts.get(event) ?? 0) + 1;
      counts.set(event, count);
      // Few: each puts off the next attempt for longer.
      return count === 2 || count === 7 ? Promise.reject(new Error("lost")) : undefined;
    });
    await edit("lossy", 20);
    await expectArrived();
    expect(register.gate.ledger.some(({ replayed }) => replayed)).toBe(true);
  });
});
