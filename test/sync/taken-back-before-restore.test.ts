import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { ana, call, edit, everybody, rename, said } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

/** A tablet goes out of reach before it has the answer; the office sees what came, and puts the record right. */
describe("a change whose answer was lost, and which the office took back", () => {
  let world: World;
  let loses: boolean;

  beforeEach(async () => {
    world = await createWorld();
    loses = false;
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  });

  const changed = async (kind: string): Promise<Device> => {
    const a = await tabletOf(world, "a", {
      network: (send) => async (url, init) => {
        const answer = await (kind === "plain" ? plain(send) : send)(url, init);
        if (init.method !== "PATCH" || !loses) return answer;
        loses = false;
        throw new TypeError("connection reset");
      },
    });
    loses = true;
    await edit(a, rename("Reyes"));
    await run(a, 1);
    a.online = false;
    expect((await everybody(world.view)).map(said)).toEqual(["Reyes"]);
    await asOffice(world, { name: { family: "Cruz" } });
    return a;
  };

  it.each([
    { name: "at a server that remembers keys", kind: "real", parked: 0 },
    { name: "at a plain server, where a person is asked", kind: "plain", parked: 1 },
  ])("stays taken back $name", async ({ kind, parked }) => {
    const a = await changed(kind);
    a.online = true;
    world.pass(60 * 60_000);
    await run(a, 2);
    expect((await everybody(world.view)).map(said)).toEqual(["Cruz"]);
    expect(a.client.status.current).toMatchObject({ parked });
  });

  it.each([
    { name: "nothing else", changes: [] },
    { name: "something else", changes: [call("1")] },
  ])(
    "is not made again unasked at a server restored without a loss, with $name unsent",
    async ({ changes }) => {
      const a = await changed("real");
      for (const change of changes) await edit(a, change);
      const now = await restoredFrom(world.medium);
      world.moveTo(now);
      a.online = true;
      await ok(a.client.signIn(credentials));
      await run(a, 2);
      expect((await ok(now.view.individuals.read(`${system}|ANA`))).name.family).toBe("Cruz");
      expect(await a.client.parked()).toMatchObject([{ reference: ana, reason: "conflict" }]);
    },
  );
});
