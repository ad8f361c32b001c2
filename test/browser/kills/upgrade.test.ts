import { afterAll, beforeAll, expect, it } from "vitest";
import { differences, violations } from "../../../.scripts/kills/oracle.ts";
import { listenTo, noPromises } from "../../../.scripts/kills/promises.ts";
import { describeInChromium } from "../describe-in-chromium.ts";
import { inStorePage } from "./stage/in-store-page.ts";
import { enumerator, openRegister, type Register } from "./stage/register.ts";
import { drain, openTablet, type Tablet } from "./stage/tablet.ts";

describeInChromium("A profile that the first version of the software wrote", (executablePath) => {
  let register: Register;
  let tablet: Tablet;

  beforeAll(async () => {
    register = await openRegister(400);
    const { folder, gate } = register;
    tablet = await openTablet({ executablePath, folder, name: "first", server: gate.port });
  });
  afterAll(async () => {
    await tablet?.close();
    await register?.close();
  });

  it("is opened by the present one with a full outbox, which is emptied by itself", async () => {
    const promises = noPromises();
    const heard = listenTo(promises, () => undefined);
    const edits = Array.from({ length: 300 }, (_, i) => ({
      reference: i % 10 === 0 ? null : (register.people[i] ?? null),
      token: `first.${i}`,
    }));
    const credentials = { clientId: enumerator.id, clientSecret: enumerator.secret };
    await inStorePage(tablet, "writeFirst", credentials, edits);
    for (const { token, reference } of edits) {
      heard.begun(token, reference);
      if (reference) heard.done(token, reference);
    }
    // By now the app has opened it and begun; it is killed in the midst of that.
    await tablet.kill("browser");
    await tablet.reopen();
    const tab = tablet.tab();
    await expect
      .poll(() => tab.call("status"), { timeout: 90_000, interval: 250 })
      .toMatchObject({ phase: "idle", signedInAs: enumerator.id, pending: 0, sending: 0, parked: 0 });
    expect(await inStorePage(tablet, "version")).toBe(20);
    const everyone = await register.everyone();
    const { ledger } = register.gate;
    const wrong = violations({ everyone, ledger, office: new Map(), promises: [promises] });
    expect(wrong).toEqual([]);
    expect(everyone.filter(({ name }) => name.family?.startsWith("first."))).toHaveLength(30);
    await drain(tab);
    expect(differences(await tab.call("everyone"), everyone)).toEqual([]);
  });
});
