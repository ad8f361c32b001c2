import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { differences, violations } from "../../../.scripts/kills/oracle.ts";
import { listenTo, noPromises, type Promises } from "../../../.scripts/kills/promises.ts";
import { describeInChromium } from "../describe-in-chromium.ts";
import { openRegister, type Register } from "./stage/register.ts";
import { drain, openTablet, signInOn, type Tab, type Tablet } from "./stage/tablet.ts";

const soon = { timeout: 90_000, interval: 250 };
const everythingArrives = () => undefined;
const nothingArrives = () => Promise.reject(new Error("This request is lost."));

describeInChromium("A tablet whose server is restarted or restored", (executablePath) => {
  let register: Register;
  let tablet: Tablet;
  let tab: Tab;
  let promises: Promises;

  beforeEach(async () => {
    register = await openRegister(100);
    promises = noPromises();
    const { folder, gate } = register;
    const heard = listenTo(promises, () => undefined);
    tablet = await openTablet({
      executablePath,
      folder,
      name: "tablet",
      server: gate.port,
      heard,
    });
    tab = tablet.tab();
    await signInOn(tab);
    await drain(tab);
  });
  afterEach(async () => {
    await tablet?.close();
    await register?.close();
  });

  it("goes on after a restart in the midst of its edits, each of them once", async () => {
    const references = register.people.slice(0, 10);
    await tab.call("startEditing", { life: "restart", seed: 1, references, hands: 2 });
    await expect.poll(() => promises.done.size, soon).toBeGreaterThan(10);
    const sent = register.gate.ledger.length;
    await register.restart();
    await expect.poll(() => register.gate.ledger.length, soon).toBeGreaterThan(sent);
    await tab.call("stopEditing");
    await expect
      .poll(() => tab.call("status"), soon)
      .toMatchObject({ phase: "idle", pending: 0, sending: 0 });
    const everyone = await register.everyone();
    const { ledger } = register.gate;
    const office = new Map();
    expect(violations({ everyone, ledger, office, promises: [promises] })).toEqual([]);
    expect(differences(await tab.call("everyone"), everyone)).toEqual([]);
  });

  /** Makes an edit before a backup, one after it, and two that are not sent; and restores the backup. */
  async function restoreUnderTablet(edited: readonly [string, string, string]) {
    const [before, after, unsent] = edited;
    expect(await tab.call("addToken", before, "before")).toBe("ok");
    await drain(tab);
    const backup = join(register.folder, "backup.db");
    await register.backup(backup);
    expect(await tab.call("addToken", after, "after")).toBe("ok");
    await drain(tab);
    register.gate.watch(nothingArrives);
    expect(await tab.call("addToken", unsent, "unsent")).toBe("ok");
    const made = await tab.call("create", "made");
    await register.restart(async () => {
      for (const end of ["", "-wal", "-shm"]) await rm(`${register.database}${end}`, { force: true });
      await copyFile(backup, register.database);
    });
    register.gate.watch(everythingArrives);
    await drain(tab);
    return made;
  }

  const people = (from: number) => register.people.slice(from, from + 3) as [string, string, string];

  it("notices that its server was restored, starts over, and sends what it had not sent", async () => {
    const [before, after, unsent] = people(20);
    const made = await restoreUnderTablet([before, after, unsent]);
    expect(differences(await tab.call("everyone"), await register.everyone())).toEqual([]);
    expect(await tab.call("tokens", [before, unsent, made])).toEqual([["before"], ["unsent"], ["made"]]);
  });

  it("sends again what the server had accepted after the backup it was restored from", async () => {
    const [before, after, unsent] = people(30);
    await restoreUnderTablet([before, after, unsent]);
    expect(differences(await tab.call("everyone"), await register.everyone())).toEqual([]);
    expect(await tab.call("tokens", [before, after, unsent])).toEqual([["before"], ["after"], ["unsent"]]);
  });
});
