import { describe, expect, it } from "vitest";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { ana, call, edit, everybody, said, shown } from "./support/restored.ts";
import { createWorld } from "./support/world.ts";

/**
 * A person decides that somebody registered here is the office's, which corrects the number before that is sent: the record is asked for
 * by its key, and found by it where news of the new number has come already.
 */
describe("somebody adopted, whose number the office corrects before that is sent", () => {
  it.each([
    { name: "the tablet has not heard of that", hears: false },
    { name: "the tablet has heard of that", hears: true },
  ])("gets what was entered here, and is on the tablet once, where $name", async ({ hears }) => {
    const world = await createWorld();
    const a = await tabletOf(world, "a");
    a.online = false;
    await ok(a.client.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await edit(a, call("1"));
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    a.online = true;
    await a.client.sync();
    const [parked] = await a.client.parked();
    expect(parked).toMatchObject({ reason: "duplicate" });
    await asOffice(world, { identifier: [{ system, value: "NEW" }] });
    if (hears) await run(a, 1);
    await ok(a.client.resolve(ana, { kind: "adopt", revision: parked?.revision ?? "" }));
    await run(a, 3);
    expect((await everybody(world.view)).map(said)).toEqual(["Cruz 1"]);
    expect(await shown(a)).toEqual(["Cruz 1"]);
    expect(await a.client.parked()).toEqual([]);
    expect(a.client.status.current).toMatchObject({ pending: 0, sending: 0 });
  });
});
