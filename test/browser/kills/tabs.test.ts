import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { differences, violations } from "../../../.scripts/kills/oracle.ts";
import { listenTo, noPromises, type Promises } from "../../../.scripts/kills/promises.ts";
import { describeInChromium } from "../describe-in-chromium.ts";
import { openRegister, type Register } from "./stage/register.ts";
import { wakeServiceWorker } from "./stage/service-worker.ts";
import { drain, openTablet, signInOn, type Tab, type Tablet } from "./stage/tablet.ts";

const soon = { timeout: 60_000 };

/** Who has the lead and who waits for it. */
const locks = ({ page }: Tab) =>
  page.evaluate(async () => {
    const { held = [], pending = [] } = await navigator.locks.query();
    return { held: held.map(({ clientId }) => clientId), pending: pending.map(({ clientId }) => clientId) };
  });

describeInChromium("Two tabs and the service worker of one tablet", (executablePath) => {
  let register: Register;
  let tablet: Tablet;
  let promises: Promises;
  const all: Promises[] = [];
  let first: Tab;
  let count = 0;

  beforeAll(async () => {
    register = await openRegister(300);
  });
  afterAll(() => register.close());
  beforeEach(async () => {
    promises = noPromises();
    all.push(promises);
    const heard = listenTo(promises, () => undefined);
    const { folder, gate } = register;
    tablet = await openTablet({ executablePath, folder, name: `tabs-${++count}`, server: gate.port, heard });
    first = tablet.tab();
    await signInOn(first);
    await drain(first);
  });
  afterEach(() => tablet.close());

  const unsent = async (tab: Tab) => {
    const { pending, sending } = await tab.call("status");
    return pending + sending;
  };

  it.each(["renderer", "tab"] as const)(
    "make every edit once, and one takes over when the leader's dies (%s)",
    async (how) => {
      expect(await first.call("registerServiceWorker")).toBe(true);
      const [leader] = (await locks(first)).held;
      const second = await tablet.open();
      await expect
        .poll(() => locks(first), soon)
        .toMatchObject({ held: [leader], pending: [expect.any(String)] });
      const references = register.people.slice(0, 10);
      await first.call("startEditing", { life: `${how}-first`, seed: 1, references, hands: 2 });
      await second.call("startEditing", { life: `${how}-second`, seed: 2, references, hands: 2 });
      for (let woken = 0; woken < 5; woken++) await wakeServiceWorker(first.page, tablet.device.address);
      await expect.poll(() => promises.done.size, soon).toBeGreaterThan(40);
      await tablet.kill(how, first);
      await expect.poll(() => locks(second), soon).toMatchObject({ held: [expect.any(String)], pending: [] });
      expect((await locks(second)).held).not.toContain(leader);
      await second.call("stopEditing");
      await expect.poll(() => unsent(second), soon).toBe(0);
      expect(promises.refused).toEqual([]);
      const everyone = await register.everyone();
      const { ledger } = register.gate;
      const wrong = violations({ everyone, ledger, office: new Map(), promises: all });
      expect(wrong).toEqual([]);
      await drain(second);
      expect(differences(await second.call("everyone"), await register.everyone())).toEqual([]);
    },
  );

  it("pull when the service worker is woken, without waiting for the next look at the server", async () => {
    expect(await first.call("registerServiceWorker")).toBe(true);
    await first.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const reference = register.people[20] ?? "";
    const { version } = await first.call("versionOf", reference);
    await register.office.patch(`/${reference}`, { name: { given: "Woken" } });
    const pulls = register.gate.pulls();
    await wakeServiceWorker(first.page, tablet.device.address);
    await expect.poll(() => register.gate.pulls(), soon).toBeGreaterThan(pulls);
    await expect.poll(() => first.call("versionOf", reference), soon).toMatchObject({ version: version + 1 });
  });
});
