import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf } from "./support/people.ts";
import { deviceIn } from "./support/tabs.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const [cavite, laguna] = [["area:PH/Cavite"], ["area:PH/Laguna"]];

describe("two tabs that were set up with other feeds", () => {
  let world: World;
  const live = async (value: string, state: string) => {
    const address = [{ type: "physical" as const, state, country: "PH" }];
    await ok(
      world.view.individuals.create({ ...personOf(value, { family: "Cruz", given: value }), address }),
    );
  };

  beforeEach(async () => {
    world = await createWorld();
    await live("ANA", "Cavite");
    await live("BEN", "Laguna");
  });

  it("both keep what the later one was set up with, whichever leads", async () => {
    const { tab, pass } = deviceIn(world);
    const first = tab(undefined, { feeds: cavite });
    await ok(first.signIn(credentials));
    await pass(0);
    const second = tab(undefined, { feeds: laguna });
    await pass(5_000);
    for (const each of [first, second]) {
      const { data } = await ok(each.individuals.search());
      expect(data.map(({ record }) => record.name.given)).toEqual(["BEN"]);
      expect(each.status.current).toMatchObject({ phase: "idle", firstSync: { complete: true, records: 1 } });
    }
    await second.close();
    await live("CARLA", "Laguna");
    await first.sync();
    expect((await ok(first.individuals.search())).data).toHaveLength(2);
    await first.close();
  });
});
