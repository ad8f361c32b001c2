import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { type Device, openDevice } from "./stage/device.ts";
import { servePage } from "./stage/page-server.ts";
import type { StorePage } from "./stage/store-page.ts";

/** Calls a function of the page. */
async function call<Name extends keyof StorePage>(
  page: Page,
  name: Name,
  ...args: Parameters<StorePage[Name]>
): Promise<Awaited<ReturnType<StorePage[Name]>>> {
  const answer = page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as { page: Record<string, (...each: unknown[]) => unknown> }).page[method]?.(
        ...given,
      ),
    [name, args] as const,
  );
  return (await answer) as Awaited<ReturnType<StorePage[Name]>>;
}

describeInChromium("A store in a browser with its profile on disk", (executablePath) => {
  let folder = "";
  let server: Awaited<ReturnType<typeof servePage>>;
  let device: Device;
  const page = () => device.page();
  const protocol = () => page().context().newCDPSession(page());
  const origin = () => new URL(device.address).origin;

  beforeAll(async () => {
    server = await servePage("test/browser/stage/store-page.ts");
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-store-"));
    const screen = { width: 360, height: 640 };
    device = await openDevice({
      name: "store",
      executablePath,
      folder,
      server: server.port,
      pictures: folder,
      screen,
    });
  });
  afterEach(async () => {
    await device.close();
    await rm(folder, { recursive: true, force: true });
  });

  const whole = {
    records: 10_000,
    edits: 1_500,
    named: 1_000,
    claimed: true,
    firstPage: ["name 00000", "name 00006", "name 00017"],
  };

  it("upgrades the first version's database with everything in it, a full outbox too", async () => {
    await call(page(), "writeFirst", whole.records, whole.edits);
    await call(page(), "open");
    expect(await call(page(), "census")).toEqual(whole);
    expect(await call(page(), "version")).toBe(20);
  });

  it("has lost nothing when the browser is killed in the middle of the upgrade", async () => {
    await call(page(), "writeFirst", whole.records, whole.edits);
    let tell = () => {};
    const upgrading = new Promise<void>((resolve) => {
      tell = resolve;
    });
    await page().exposeFunction("tellUpgrading", () => tell());
    await call(page(), "startOpening");
    await upgrading;
    await device.kill();
    await device.start();
    // Either way it is whole: as it was, or upgraded.
    expect([10, 20]).toContain(await call(page(), "version"));
    await call(page(), "open");
    expect(await call(page(), "census")).toEqual(whole);
  });

  it("has every edit that it acknowledged, whole, when the browser is killed", async () => {
    await call(page(), "open");
    await call(page(), "startEditing");
    await expect.poll(() => call(page(), "acknowledged"), { timeout: 60_000 }).toBeGreaterThan(400);
    const acknowledged = await call(page(), "acknowledged");
    await device.kill();
    await device.start();
    await call(page(), "open");
    const edited = await call(page(), "edited");
    for (const { record, outbox } of edited) expect(outbox).toBe(record);
    const kept = edited.reduce((sum, { record }) => sum + record, 0);
    expect(kept).toBeGreaterThanOrEqual(acknowledged);
    expect(await call(page(), "census")).toMatchObject({ records: 50, edits: 50 });
  });

  it("refuses as quota what there is no room for, writes nothing of it, and goes on when there is room", async () => {
    // Chromium looks at the quota at a first commit, and again when that seems used up.
    const session = await protocol();
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin(), quotaSize: 2_000_000 });
    await call(page(), "open");
    expect(await call(page(), "tryCommit", "one", 3)).toBe("ok");
    expect(await call(page(), "tryCommit", "two", 300)).toBe("quota");
    expect(await call(page(), "keys")).toEqual(["one-0", "one-1", "one-2"]);
    await session.send("Storage.overrideQuotaForOrigin", { origin: origin() });
    expect(await call(page(), "tryCommit", "two", 300)).toBe("ok");
    expect(await call(page(), "keys")).toHaveLength(100);
  });

  it("makes way for another tab that upgrades or deletes the database, and says so from then on", async () => {
    const other = await page().context().newPage();
    await other.goto(device.address);
    await call(page(), "open");
    await call(other, "upgradeBeyond");
    expect(await call(page(), "keys")).toEqual(["newer-schema"]);
    expect(await call(page(), "tryCommit", "one", 1)).toBe("newer-schema");
    await call(other, "remove");
    await call(page(), "open");
    expect(await call(page(), "tryCommit", "one", 1)).toBe("ok");
    await call(other, "remove");
    expect(await call(page(), "tryCommit", "two", 1)).toBe("closed");
  });

  it("says that it is gone when the browser closes it by force and clears the site's data", async () => {
    await call(page(), "open");
    expect(await call(page(), "tryCommit", "one", 1)).toBe("ok");
    const session = await protocol();
    await session.send("Storage.clearDataForOrigin", { origin: origin(), storageTypes: "indexeddb" });
    expect(await call(page(), "keys")).toEqual(["closed"]);
    await call(page(), "open");
    expect(await call(page(), "keys")).toEqual([]);
  });
});
