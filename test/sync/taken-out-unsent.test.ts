import type { Individual } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, type Device, restoredFrom } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const phone = (value: string) => ({ system: "phone", value }) as const;

/** Once, it was not noted where something had been accepted of the record before the backup, and who had added the item put it back. */
it.each([
  ["with nothing accepted before", false],
  ["with another change accepted before the backup", true],
])(
  "what is taken out unsent, and a restored server has lost, is asked about when it is given back: %s",
  async (_, hasAccepted) => {
    const world = await createWorld();
    const [mine, other] = [world.device("a"), world.device("b")];
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    for (const { client } of [mine, other]) {
      await ok(client.signIn(credentials));
      await client.sync();
    }
    const edit = ({ client }: Device, change: (draft: Individual) => void) =>
      ok(client.individuals.update(ana, change));
    if (hasAccepted)
      await edit(mine, (draft) => {
        draft.birthDate = "1981-01-01";
      });
    await mine.client.sync();
    await other.client.sync();
    const backup = structuredClone(world.medium);
    await edit(other, (draft) => {
      draft.telecom = [phone("2")];
    });
    for (const { client } of [other, mine]) await client.sync();
    await edit(mine, (draft) => {
      draft.telecom = [];
    });
    const now = await restoredFrom(backup);
    now.pass(100 * 3_600_000);
    world.moveTo(now);
    for (const { client } of [mine, other]) {
      await ok(client.signIn(credentials));
      await client.sync();
    }
    now.pass(26 * 3_600_000);
    await mine.client.sync();
    expect((await mine.client.parked()).map(({ detail }) => detail)).toEqual([
      expect.stringContaining("may have reached the server and been undone there"),
    ]);
    expect((await ok(mine.client.individuals.read(ana))).record.telecom ?? []).toEqual([]);
  },
);
