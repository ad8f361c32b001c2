import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { differences } from "../../../.scripts/kills/oracle.ts";
import { describeInChromium } from "../describe-in-chromium.ts";
import { inStorePage } from "./stage/in-store-page.ts";
import { openRegister, type Register } from "./stage/register.ts";
import { drain, openTablet, signInOn, type Tablet } from "./stage/tablet.ts";

const soon = { timeout: 60_000 };
const everythingArrives = () => undefined;
const nothingArrives = () => Promise.reject(new Error("This request is lost."));

describeInChromium("A tablet whose storage is full, or was wiped", (executablePath) => {
  let register: Register;
  let tablet: Tablet;
  let count = 0;
  const tab = () => tablet.tab();
  const origin = () => new URL(tablet.device.address).origin;
  const protocol = () => tab().page.context().newCDPSession(tab().page);

  beforeAll(async () => {
    register = await openRegister(450);
  });
  afterAll(() => register.close());
  beforeEach(async () => {
    register.gate.watch(everythingArrives);
    const { folder, gate } = register;
    tablet = await openTablet({ executablePath, folder, name: `storage-${++count}`, server: gate.port });
  });
  afterEach(() => tablet.close());

  /**
   * The tablet with its first sync done and room for a few photos more. Chromium remembers for half a minute, as long as a database is
   * open, how much room there was; a reload alone may find it open still, so that what is in it is cleared, which closes it.
   */
  async function smallRoom() {
    const session = await protocol();
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin(), quotaSize: 6_000_000 });
    await session.send("Storage.clearDataForOrigin", { origin: origin(), storageTypes: "indexeddb" });
    await tab().page.reload();
    await signInOn(tab());
    await drain(tab());
    return session;
  }

  /** Everything is there again, and edits arrive. */
  async function expectWhole(token: string): Promise<void> {
    await drain(tab());
    expect(await tab().call("addToken", register.people[7] ?? "", token)).toBe("ok");
    await drain(tab());
    expect(differences(await tab().call("everyone"), await register.everyone())).toEqual([]);
  }

  it("refuses what it has no room for with a reason, keeps the rest whole, and goes on when there is room", async () => {
    const session = await smallRoom();
    register.gate.watch(nothingArrives);
    const kept: string[] = [];
    let answer = "ok";
    for (const reference of register.people.slice(0, 60)) {
      answer = await tab().call("addPhoto", reference, 300_000);
      if (answer !== "ok") break;
      kept.push(reference);
    }
    expect(answer).toMatch(/^Nothing was saved: /);
    expect(kept.length).toBeGreaterThan(0);
    await expect.poll(() => tab().call("status"), soon).toMatchObject({ phase: "safe-mode" });
    const expectKept = async () => {
      const photos = await tab().call("photos", register.people.slice(0, 60));
      expect(photos.map((length) => length > 0)).toEqual(
        register.people.slice(0, 60).map((_, i) => i < kept.length),
      );
      // The engine counts once it has begun.
      await expect
        .poll(async () => {
          const { pending, sending, parked } = await tab().call("status");
          return [pending + sending, parked];
        }, soon)
        .toEqual([kept.length, 0]);
    };
    await expectKept();
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin() });
    await tablet.kill("browser");
    await tablet.reopen();
    await expectKept();
    expect(await tab().call("addPhoto", register.people[kept.length] ?? "", 300_000)).toBe("ok");
    register.gate.watch(everythingArrives);
    await drain(tab());
    const person = await register.office.get<{ photo?: string }>(`/${register.people[kept.length]}`);
    expect(person.photo).toMatch(/^data:image\/jpeg/);
    await expect
      .poll(() => tab().call("status"), soon)
      .toMatchObject({ phase: "idle", pending: 0, parked: 0 });
  });

  it("goes on by itself when there is room again while the app is open", async () => {
    const session = await smallRoom();
    const answers: string[] = [];
    for (const reference of register.people.slice(100, 160)) {
      answers.push(await tab().call("addPhoto", reference, 300_000));
      if (answers.at(-1) !== "ok") break;
    }
    expect(answers.at(-1)).toMatch(/^Nothing was saved: /);
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin() });
    expect(await tab().call("addToken", register.people[200] ?? "", "room")).toBe("ok");
    await expect
      .poll(() => tab().call("status"), soon)
      .toMatchObject({ phase: "idle", pending: 0, sending: 0 });
    expect(register.gate.ledger.some(({ body }) => body.includes("room@"))).toBe(true);
  });

  it("refuses edits when its data are cleared under it, and starts over when it is opened again", async () => {
    await signInOn(tab());
    await drain(tab());
    const session = await protocol();
    await session.send("Storage.clearDataForOrigin", { origin: origin(), storageTypes: "indexeddb" });
    expect(await tab().call("addToken", register.people[1] ?? "", "cleared")).toBe("unavailable");
    expect(await tab().call("create", "cleared")).toBe("unavailable");
    await tab().page.reload();
    await expect
      .poll(() => tab().call("status"), soon)
      .toMatchObject({ signedInAs: null, firstSync: { complete: false } });
    await signInOn(tab());
    await expectWhole("after-clearing");
  });

  it("starts over when its database was deleted while it was closed", async () => {
    await signInOn(tab());
    await drain(tab());
    await inStorePage(tablet, "remove");
    await expect
      .poll(() => tab().call("status"), soon)
      .toMatchObject({ signedInAs: null, firstSync: { records: 0 } });
    await signInOn(tab());
    await expectWhole("after-deleting");
  });

  it.each([
    {
      what: "cleared under it",
      lose: async () => {
        const session = await protocol();
        await session.send("Storage.clearDataForOrigin", { origin: origin(), storageTypes: "indexeddb" });
        await tab().page.reload();
      },
    },
    { what: "deleted while it was closed", lose: () => inStorePage(tablet, "remove") },
  ])(
    "has what is unsent again, when its database was $what, once its person is back",
    async ({ what, lose }) => {
      const token = what.replaceAll(" ", "-");
      await signInOn(tab());
      await drain(tab());
      register.gate.watch(nothingArrives);
      expect(await tab().call("addToken", register.people[3] ?? "", token)).toBe("ok");
      const made = await tab().call("create", token);
      await expect.poll(() => tab().page.evaluate(unsentFile), soon).toContain(made.replace(/.*\|/, ""));
      await lose();
      register.gate.watch(everythingArrives);
      await signInOn(tab());
      await drain(tab());
      expect(await register.office.get(`/${made}`)).toMatchObject({ name: { family: token } });
      expect(JSON.stringify(await register.office.get(`/${register.people[3]}`))).toContain(`${token}@`);
      expect(differences(await tab().call("everyone"), await register.everyone())).toEqual([]);
    },
  );

  it("starts over when its records are gone and its cursor is not, and keeps what is unsent", async () => {
    await signInOn(tab());
    await drain(tab());
    register.gate.watch(nothingArrives);
    const made = await tab().call("create", "unsent");
    expect(made).toMatch(/^Individual\//);
    expect(await inStorePage(tablet, "loseRecords")).toBeGreaterThan(450);
    register.gate.watch(everythingArrives);
    await tab().page.reload();
    await drain(tab());
    expect(differences(await tab().call("everyone"), await register.everyone())).toEqual([]);
  });
});

/** In the page: the copy of what is unsent, or nothing where there is none yet. */
async function unsentFile(): Promise<string> {
  try {
    const folder = await navigator.storage.getDirectory();
    const file = await folder.getFileHandle("fieldroll-unsent");
    return await (await file.getFile()).text();
  } catch {
    return "";
  }
}
