import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf } from "./support/people.ts";
import { ana, call, edit, everybody, rename, said, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, restoredFrom, type World } from "./support/world.ts";

/** Whom one tablet registered, and another one, that is shown no more than their name, has changed in vain. */
describe("somebody shown in part, whom a restored server lost", () => {
  let now: World;
  let maker: Device;
  let guest: Device;

  const consent = (scope: object) =>
    ok(
      now.view.consents.grant({
        subject: { reference: ana },
        grantee: { organization: "Aid" },
        scope: [{ resourceType: "Individual", ...scope }],
      }),
    );
  const byName = { fieldAccess: "custom", fields: ["name", "identifier"] };
  const told = async () => (await everybody(now.view)).map(said);

  beforeEach(async () => {
    const world = await createWorld();
    now = world;
    const older: MemoryMedium = structuredClone(world.medium);
    [maker, guest] = [world.device("a"), world.device("b")];
    await ok(maker.client.signIn(credentials));
    await ok(maker.client.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await edit(maker, call("1"));
    await synced(maker);
    await consent(byName);
    await ok(guest.client.signIn(partner));
    await guest.client.sync();
    await edit(guest, rename("Reyes"));
    await guest.client.sync();
    expect(await guest.client.parked()).toMatchObject([{ reason: "rejected" }]);
    now = await restoredFrom(older);
    world.moveTo(now);
    for (const [{ client }, who] of [
      [maker, credentials],
      [guest, partner],
    ] as const)
      await ok(client.signIn(who));
    await guest.client.sync();
  });

  it("is not registered anew from there, also by who sends the refused change again", async () => {
    const [parked] = await guest.client.parked();
    expect(parked).toMatchObject({ reason: "gone" });
    expect(parked?.detail).toContain("in part only");
    const outcome = await guest.client.resolve(ana, { kind: "retry" });
    expect(outcome).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    await guest.client.sync();
    expect(await told()).toEqual([]);
  });

  it("is whole again when its maker has given it back, and gets the change once that is allowed", async () => {
    await synced(maker);
    expect(await told()).toEqual(["Cruz 1"]);
    await consent(byName);
    await guest.client.sync();
    expect(await guest.client.parked()).toMatchObject([{ reason: "rejected" }]);
    await consent({ fieldAccess: "all" });
    await guest.client.sync();
    await guest.client.resolve(ana, { kind: "retry" });
    await guest.client.sync();
    expect(await guest.client.parked()).toEqual([]);
    expect(await told()).toEqual(["Reyes 1"]);
  });

  it("can be given up there", async () => {
    await ok(guest.client.resolve(ana, { kind: "discard" }));
    expect(await guest.client.parked()).toEqual([]);
    await synced(maker);
    expect(await told()).toEqual(["Cruz 1"]);
  });
});
