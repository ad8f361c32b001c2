import { type Individual, unwrap } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
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

/** Two tablets, of which the other one added a number that `b` knows and a restored server has lost. */
async function restoredBelow(network?: (send: Fetch) => Fetch) {
  const world = await createWorld();
  const name = { family: "Cruz", given: "Ana" };
  await ok(world.view.individuals.create({ type: "Individual", identifier: [ana], name }));
  const [a, b] = [world.device("a"), world.device("b", network ? { network } : {})];
  for (const { client } of [a, b]) {
    await ok(client.signIn(credentials));
    await client.sync();
  }
  const backup = structuredClone(world.medium);
  await ok(a.client.individuals.update(reference, addNumber));
  for (const { client } of [a, b]) await client.sync();
  const restored = await restoredFrom(backup);
  restored.pass(100 * 3_600_000);
  world.moveTo(restored);
  for (const { client } of [a, b]) await ok(client.signIn(credentials));
  return {
    ...{ world, restored, a, b },
    change: (change: (draft: Individual) => void) => ok(b.client.individuals.update(reference, change)),
  };
}

/** Once, it was back unasked: what was unsent, or had no outcome, was merged with the news. */
describe("a number that was taken out, and that the other tablet gives back", () => {
  it.each([
    ["had no outcome, and never arrived", "lost", "ours"],
    ["had no outcome, and never arrived", "lost", "theirs"],
    ["had no outcome, and arrived", "arrived", "ours"],
    ["was unsent", "unsent", "ours"],
    ["was unsent", "unsent", "theirs"],
    ["waited for a decision", "conflict", "ours"],
  ] as const)("while something else %s, is asked about by itself (%s, %s)", async (_, when, choice) => {
    const cut = { at: "none" };
    const { world, restored, a, b, change } = await restoredBelow((send) => async (url, init) => {
      if (cut.at === "none" || init.method === "GET" || url.includes("oauth2")) return send(url, init);
      if (cut.at === "arrived") await send(url, init);
      throw new TypeError("cut off");
    });
    if (when === "lost" || when === "arrived") {
      await change(alsoRename(takeOut));
      cut.at = when;
      await b.client.sync();
    } else {
      await change(takeOut);
      await b.client.sync();
      await change(alsoRename(() => undefined));
    }
    cut.at = "none";
    if (when === "conflict")
      await ok(restored.view.individuals.patch(ana, { name: { family: "Santos" } }, { ifMatch: "*" }));
    await a.client.sync();
    for (const each of [world, restored]) each.pass(26 * 3_600_000);
    await b.client.sync();
    const parked = await b.client.parked();
    const paths = parked.flatMap(({ conflicts }) => conflicts.map(({ path }) => path));
    expect(paths).toEqual([...(when === "conflict" ? ["/name/family"] : []), "/telecom/0"]);
    const choices = Object.fromEntries(paths.map((path) => [path, choice]));
    const revision = parked[0]?.revision ?? "";
    await ok(b.client.resolve(reference, { kind: "choose", choices, revision }));
    await b.client.sync();
    const there = unwrap(await restored.view.individuals.read(ana));
    expect(there.name.family).toBe("Reyes");
    expect((there.telecom ?? []).map(({ value }) => value)).toEqual(choice === "ours" ? [] : ["3"]);
    expect(b.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
  });

  it("is no question where it was typed anew", async () => {
    const { restored, a, b, change } = await restoredBelow();
    await change(takeOut);
    await b.client.sync();
    await change(alsoRename(addNumber));
    for (const { client } of [a, b]) await client.sync();
    expect(await b.client.parked()).toEqual([]);
    const there = unwrap(await restored.view.individuals.read(ana));
    expect(there).toMatchObject({ name: { family: "Reyes" }, telecom: [{ system: "phone", value: "3" }] });
  });
});
