import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf } from "./support/people.ts";
import { ana, call, edit, everybody, rename, said, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, restoredFrom, type World } from "./support/world.ts";

/** Whom one tablet registered, and another one has changed, that is shown their name by now. */
describe("somebody shown in part, whom a restored server lost", () => {
  let world: World;
  let older: MemoryMedium;
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

  /** The office goes back to before it knew the person, and the guest's tablet hears of that. */
  const lose = async () => {
    now = await restoredFrom(older);
    world.moveTo(now);
    for (const [{ client }, who] of [
      [maker, credentials],
      [guest, partner],
    ] as const)
      await ok(client.signIn(who));
    await guest.client.sync();
  };

  beforeEach(async () => {
    world = await createWorld();
    now = world;
    older = structuredClone(world.medium);
    [maker, guest] = [world.device("a"), world.device("b")];
    await ok(maker.client.signIn(credentials));
    await ok(maker.client.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await edit(maker, call("1"));
    await synced(maker);
  });

  describe("after a change in vain", () => {
    beforeEach(async () => {
      await consent(byName);
      await ok(guest.client.signIn(partner));
      await guest.client.sync();
      await edit(guest, rename("Reyes"));
      await guest.client.sync();
      expect(await guest.client.parked()).toMatchObject([{ reason: "rejected" }]);
      await lose();
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

  it("gets a change that had arrived while they were shown whole, beside what nobody but the maker knows", async () => {
    const whole = await consent({ fieldAccess: "all" });
    await ok(guest.client.signIn(partner));
    await guest.client.sync();
    await edit(guest, call("2"));
    await synced(guest);
    await consent(byName);
    await ok(now.view.consents.revoke(whole.id));
    await guest.client.sync();
    await lose();
    expect(await guest.client.parked()).toMatchObject([
      { reason: "gone", ours: { telecom: [{ value: "2" }] } },
    ]);
    await synced(maker);
    await consent({ fieldAccess: "all" });
    await synced(guest);
    expect(await told()).toEqual(["Cruz 1 2"]);
  });
});
