import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { born, other } from "./support/files.ts";
import { answer, ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const newcomer = `Individual/${system}|NEW`;
const lives = (state: string) => ({ address: [{ type: "physical" as const, country: "PH", state }] });
const inCavite = ["area:PH/Cavite"];

describe("somebody who is registered and sent while everything is read anew", () => {
  it("stays here, although their feed was read before", async () => {
    const world = await createWorld();
    for (const [value, state] of [
      ["ANA", "Cavite"],
      ["BEN", "Laguna"],
      ["EVA", "Laguna"],
    ] as const)
      await ok(world.view.individuals.create({ ...personOf(value, { given: value }), ...lives(state) }));
    let meanwhile: (() => Promise<unknown>) | null = null;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const response = await send(url.replace(/limit=\d+/, "limit=1"), init);
        const text = await response.text();
        const acts = url.includes("Laguna") ? meanwhile : null;
        if (acts) meanwhile = null;
        await acts?.();
        return answer(response.status, text);
      };
    const { client } = world.device("a", { feeds: [...inCavite, "area:PH/Laguna"], network });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(`Individual/${system}|ANA`, born));
    await ok(client.signOut({ unsent: "seal" }));
    await ok(client.signIn(other));
    await ok(client.signIn(credentials));
    meanwhile = () =>
      ok(client.individuals.create({ ...personOf("NEW", { given: "Ana" }), ...lives("Cavite") }));
    expect(await client.sync()).toMatchObject(settled);
    expect((await ok(client.individuals.read(newcomer))).state).toBe("synced");
    expect((await ok(world.view.individuals.read(`${system}|NEW`))).name.given).toBe("Ana");
  });
});
