import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf } from "./support/people.ts";
import { ana, call, edit, everybody, rename, said, synced } from "./support/restored.ts";
import { createWorld, type Device, partner, restoredFrom, type World } from "./support/world.ts";

describe("an edit that a restored server lost together with the consent to see the record whole", () => {
  let now: World;
  let device: Device;
  let instants: readonly string[];

  const consent = (scope: object) =>
    ok(
      now.view.consents.grant({
        subject: { reference: ana },
        grantee: { organization: "Aid" },
        scope: [{ resourceType: "Individual", ...scope }],
      }),
    );
  const figure = async () => (await device.client.sync()).awaitingConsent;
  const told = async () => (await everybody(now.view)).map(said);

  /** Makes edits while all of a person is shown, and restores a server that shows less of her and lacks them. */
  const lose = async (fields: readonly string[], edits: readonly ReturnType<typeof rename>[]) => {
    const world = await createWorld();
    now = world;
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await consent({ fieldAccess: "custom", fields });
    const older: MemoryMedium = structuredClone(world.medium);
    await consent({ fieldAccess: "all" });
    device = world.device("a");
    await ok(device.client.signIn(partner));
    await synced(device);
    const begin = world.now().toISOString();
    for (const change of edits) await edit(device, change);
    await synced(device);
    instants = [begin, world.now().toISOString()];
    now = await restoredFrom(older);
    world.moveTo(now);
    await ok(device.client.signIn(partner));
  };

  beforeEach(() => lose(["name"], [rename("Reyes"), call("1")]));

  it("is counted while it waits, with the time when it had arrived", async () => {
    const { records, oldestAt } = await figure();
    expect(records).toBe(1);
    expect([instants[0], oldestAt, instants[1]].toSorted()).toEqual([instants[0], oldestAt, instants[1]]);
    expect(await told()).toEqual(["Cruz"]);
    const { status, documents } = await device.client.diagnostics();
    expect(status.awaitingConsent).toEqual({ records, oldestAt });
    expect(documents.accepted).toBe(1);
  });

  it("is named by the record that it is of", async () => {
    await device.client.sync();
    const { state, awaitingConsent } = await ok(device.client.explain(ana));
    expect(state).toBe("synced");
    expect(awaitingConsent).toMatchObject([{ by: partner.clientId }]);
    expect(Object.keys(awaitingConsent[0] ?? {}).sort()).toEqual(["at", "by", "id"]);
  });

  it("is given to the server again, and counted no longer, when the consent is", async () => {
    await device.client.sync();
    await consent({ fieldAccess: "all" });
    await synced(device);
    expect(await told()).toEqual(["Reyes 1"]);
    expect(await figure()).toEqual({ records: 0, oldestAt: null });
    expect((await ok(device.client.explain(ana))).awaitingConsent).toEqual([]);
  });

  it("is given to the server at once where what it changed is shown with its version, and waits where that is hidden", async () => {
    await lose(["name", "meta"], [rename("Reyes")]);
    expect([await figure(), await told()]).toEqual([{ records: 0, oldestAt: null }, ["Reyes"]]);
    await lose(["name", "meta"], [call("1")]);
    expect([await figure(), await told()]).toMatchObject([{ records: 1 }, ["Cruz"]]);
    await consent({ fieldAccess: "all" });
    await synced(device);
    expect(await told()).toEqual(["Cruz 1"]);
  });
});
