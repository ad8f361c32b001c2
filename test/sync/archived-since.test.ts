import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { archive } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { ana, call, edit } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

/** An edit of somebody whom the office had archived, sent all the same, at a server that is restored before it tells of that. */
describe("an edit of an archived record that a restored server has lost", () => {
  let now: World;
  let device: Device;
  let cut: boolean;
  let back: (backup: MemoryMedium) => Promise<void>;

  beforeEach(async () => {
    const world = await createWorld();
    now = world;
    cut = false;
    device = world.device("a", {
      network: (send) => async (url, init) => {
        if (cut) throw new TypeError("out of reach");
        const answer = await send(url, init);
        // Out of reach as soon as the edit has arrived, so that no feed tells of it.
        if (init.method === "PATCH" && answer.status === 200) cut = true;
        return answer;
      },
    });
    await ok(device.client.signIn(credentials));
    await ok(device.client.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await device.client.sync();
    await edit(device, call("1"));
    await archive(world);
    await device.client.sync();
    expect(await device.client.parked()).toMatchObject([{ reason: "gone" }]);
    back = async (backup) => {
      now = await restoredFrom(backup);
      world.moveTo(now);
      cut = false;
      await ok(device.client.signIn(credentials));
      await device.client.sync();
    };
  });

  /** A server that was restored is asked for the record by its key, and then sent the edit. */
  const sendIt = async () => {
    await back(structuredClone(now.medium));
    expect(await phones()).toEqual(["1"]);
    expect((await ok(device.client.explain(ana))).state).toBe("synced");
  };
  const phones = async () =>
    (await ok(now.view.individuals.read(`${system}|ANA`))).telecom?.map(({ value }) => value);
  const expectLeft = async () => {
    cut = false;
    await device.client.sync();
    expect(await device.client.parked()).toEqual([]);
    expect((await ok(device.client.individuals.search())).data).toEqual([]);
  };

  it("is given to it again, and the record leaves the tablet then", async () => {
    const backup = structuredClone(now.medium);
    await sendIt();
    await back(backup);
    expect(await phones()).toEqual(["1"]);
    await expectLeft();
  });

  it("is not sent where it is there, and the record leaves the tablet at once", async () => {
    await sendIt();
    await back(structuredClone(now.medium));
    expect(now.requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
    expect((await ok(device.client.individuals.search())).data).toEqual([]);
    await expectLeft();
  });
});
