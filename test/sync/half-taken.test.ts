import { createMemoryStore } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { clientOn, fileOf, passphrase, run, tabletOf, take } from "./support/files.ts";
import { mortal } from "./support/mortal.ts";
import { ok, settled } from "./support/people.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

/** More records than are moved in one commit. */
const households = 52;

describe("a file of which a part was taken in", () => {
  let world: World;
  let a: Device;
  let b: Device;

  beforeEach(async () => {
    world = await createWorld();
    [a, b] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    a.online = false;
  });

  async function register(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) {
      await ok(
        a.client.registerHousehold({
          group: { active: true, groupType: "household", name: `Household ${nth}` },
          members: [{ individual: { active: true, name: { given: `Person ${nth}` } } }],
        }),
      );
    }
  }

  /** Takes a file in on the second tablet, which dies after a commit. */
  async function takeUntil(file: string, at: number): Promise<void> {
    await b.client.close();
    let died = (): void => undefined;
    const dead = new Promise<void>((resolve) => {
      died = resolve;
    });
    const store = mortal(createMemoryStore({ medium: b.medium }), { at, side: "after" }, died);
    await Promise.race([dead, clientOn(world, b.medium, { store }).importUnsent(file, passphrase)]);
  }

  const counts = async () => [
    (await ok(world.view.groups.search({ limit: "500" }))).data.length,
    (await ok(world.view.individuals.search({ limit: "500" }))).data.length,
  ];

  it.each([1, 3])("brings each household after its people, dying after commit %i", async (at) => {
    await register(households);
    const file = await fileOf(a);
    await takeUntil(file, at);
    b.kill();
    await run(b, 3);
    expect(b.client.status.current).toMatchObject(settled);
    await take(b, file);
    await run(b, 3);
    expect(b.client.status.current).toMatchObject(settled);
    expect(await counts()).toEqual([households, households]);
  });

  it("is shown as unsent when the app is opened again, also without a network", async () => {
    await register(1);
    await takeUntil(await fileOf(a), 1);
    b.online = false;
    expect(await b.kill().sync()).toMatchObject({ pending: 2 });
  });

  it("goes out when what it refers to arrives after all, and is not sent until then", async () => {
    await register(1);
    const file = await fileOf(a);
    await take(b, file);
    const store = createMemoryStore({ medium: b.medium });
    const person = await store.query({ collection: "Individual", limit: 10 });
    const unsent = await store.query({ collection: "outbox", limit: 10 });
    const ofPerson = unsent.documents.filter(({ key }) => key.startsWith("Individual/"));
    await store.commit({ remove: [...person.documents, ...ofPerson] });
    await run(b, 2);
    expect(await b.client.parked()).toMatchObject([{ type: "Group", reason: "rejected" }]);
    const before = world.requests.length;
    await run(b, 2);
    expect(world.requests.slice(before).filter((request) => request.startsWith("POST"))).toEqual([]);
    await take(b, file);
    await run(b, 2);
    expect(b.client.status.current).toMatchObject(settled);
    expect(await counts()).toEqual([1, 1]);
  });
});
