import { type Individual, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const system = "urn:test:national";
const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

const addNumber = (draft: Individual) => {
  draft.telecom = [...(draft.telecom ?? []), { system: "phone", value: "3" }];
};
const takeOut = (draft: Individual) => {
  draft.telecom = draft.telecom?.filter(({ value }) => value !== "3") ?? [];
};
const mistakeDay = (draft: Individual) => {
  draft.birthDate = "1990-01-01";
};
const correctDay = (draft: Individual) => {
  draft.birthDate = "1980-01-01";
};
const alsoRename = (change: (draft: Individual) => void) => (draft: Individual) => {
  change(draft);
  draft.name.family = "Reyes";
};

/**
 * "Another tablet's number was taken out here, and both are lost. … When news of the record undo it … that waits for a person." (decision 82):
 * of corrections that were sent and that were not, and of each part of one that says more.
 */
describe("a correction of what a restored server has lost together with it", () => {
  it.each([
    ["a number that is taken out, unsent at the restore", addNumber, takeOut, "before"],
    ["a number that is taken out after the restore", addNumber, takeOut, "after"],
    ["a number that was taken out with a new name, unsent", addNumber, alsoRename(takeOut), "before"],
    ["a number that was taken out with a new name", addNumber, alsoRename(takeOut), "sent"],
    ["a day put right, unsent at the restore", mistakeDay, correctDay, "before"],
    ["a day that was put right with a new name", mistakeDay, alsoRename(correctDay), "sent"],
  ] as const)("is asked about when the other tablet gives that back: %s", async (_, enter, correct, when) => {
    const world = await createWorld();
    const person = { type: "Individual", identifier: [ana], name: { family: "Cruz", given: "Ana" } };
    const telecom = [{ system: "phone", value: "0" }];
    await ok(world.view.individuals.create({ ...person, birthDate: "1980-01-01", telecom }));
    const [a, b] = [world.device("a"), world.device("b")];
    for (const { client } of [a, b]) {
      await ok(client.signIn(credentials));
      await client.sync();
    }
    const backup = structuredClone(world.medium);
    await ok(a.client.individuals.update(reference, enter));
    await a.client.sync();
    await b.client.sync();
    const change = () => ok(b.client.individuals.update(reference, correct));
    if (when !== "after") await change();
    if (when === "sent") await b.client.sync();
    const restored = await restoredFrom(backup);
    world.moveTo(restored);
    if (when === "after") await change();
    for (const { client } of [b, a, b]) {
      await ok(client.signIn(credentials));
      await client.sync();
    }
    expect((await b.client.parked()).map(({ reason }) => reason)).toEqual(["conflict"]);
    const [parked] = await b.client.parked();
    await ok(b.client.resolve(reference, { kind: "retry" }));
    await b.client.sync();
    const there = unwrap(await restored.view.individuals.read(ana));
    expect(there).toMatchObject({ birthDate: "1980-01-01", telecom, name: parked?.ours.name });
  });
});
