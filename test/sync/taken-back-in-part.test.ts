import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { ana, call, edit } from "./support/restored.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

/** The answer to a form with two fields was lost; the office took one of them back, and its person changed the other one again. */
describe("a change whose answer a plain server's network lost, of which the office took a part back", () => {
  let world: World;
  let a: Device;

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    let loses = false;
    a = await tabletOf(world, "a", {
      network: (send) => async (url, init) => {
        const answer = await plain(send)(url, init);
        if (init.method !== "PATCH" || !loses) return answer;
        loses = false;
        throw new TypeError("connection reset");
      },
    });
    loses = true;
    await edit(a, (draft) => {
      draft.name.given = "X";
      draft.birthDate = "1990-01-01";
    });
    await run(a, 1);
    await asOffice(world, { name: { given: "Ana" } });
  });

  const bornLater = (draft: Individual) => {
    draft.birthDate = "1990-01-02";
  };

  it.each([
    { name: "nothing else was changed", changes: [] },
    { name: "something else was changed", changes: [call("1")] },
    { name: "what arrived and stayed was changed again", changes: [bornLater] },
  ])("is not made again unasked where $name", async ({ changes }) => {
    for (const change of changes) await edit(a, change);
    world.pass(60 * 60_000);
    await run(a, 2);
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.given).toBe("Ana");
    expect(await a.client.parked()).toMatchObject([{ reference: ana, reason: "conflict" }]);
  });
});
