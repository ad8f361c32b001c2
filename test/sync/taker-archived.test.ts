import { unwrap } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

it.each([["long before"], ["now"], ["now, and last"]])(
  "somebody who was found by their key is not taken for archived because whoever has the number that they were corrected to is (found %s)",
  async (when) => {
    const again = when === "long before";
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("1", { family: "Cruz", given: "Ana" })));
    const { client } = world.device("a");
    await ok(client.signIn(credentials));
    await client.sync();
    const change = (value: string, patch: object) =>
      ok(world.view.individuals.patch(`${system}|${value}`, patch, { ifMatch: "*" }));
    const ana = async () =>
      unwrap(await client.individuals.search({ name: "Ana" })).data.map(({ record }) => record.name.given);

    if (again) {
      // Found by her key in a former run; the feed has told of her since.
      await ok(
        client.individuals.update(`Individual/${system}|1`, (draft) => {
          draft.birthDate = "1980-01-01";
        }),
      );
      await change("1", { identifier: [{ system, value: "5" }], birthDate: "1980-01-01" });
      for (let run = 0; run < 2; run++) await client.sync();
    }
    await ok(
      client.individuals.update(`Individual/${system}|${again ? 5 : 1}`, (draft) => {
        draft.identifier = [{ system, value: "9" }];
      }),
    );
    if (when === "now") await change("1", { identifier: [{ system, value: "2" }] });
    await ok(world.view.individuals.create(personOf("9", { family: "Lim", given: "Zed" })));
    await change("9", { active: false });
    if (when === "now, and last") await change("1", { identifier: [{ system, value: "2" }] });
    for (let run = 0; run < 3; run++) await client.sync();
    if (!again) {
      const [{ reference = "", reason = "", revision = "", conflicts = [] } = {}] = await client.parked();
      expect(reason).toBe("conflict");
      const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
      await ok(client.resolve(reference, { kind: "choose", revision, choices }));
      for (let run = 0; run < 3; run++) await client.sync();
    }
    expect(await client.parked()).toMatchObject([{ reason: "duplicate" }]);
    for (const { reference } of await client.parked())
      await ok(client.resolve(reference, { kind: "discard" }));
    for (let run = 0; run < 2; run++) await client.sync();
    expect(await ana()).toEqual(["Ana"]);
  },
);
