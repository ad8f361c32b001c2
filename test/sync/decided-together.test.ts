import { unwrap } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const address = `${system}|1`;
const reference = `Individual/${address}`;

/** "Where the first is in conflict, each other one that differs is in conflict too, even if one side alone changed it." (decision 14) */
it.each([null, false] as const)(
  "a date of birth is decided on with whether it is an estimate, which the office says by %j",
  async (isExact) => {
    const world = await createWorld();
    const person = { type: "Individual", identifier: [{ system, value: "1" }], name: { given: "A" } };
    const estimate = { birthDate: "1990-01-01", birthDateEstimated: true };
    await ok(world.view.individuals.create({ ...person, ...estimate }));
    const { client } = world.device("a");
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.birthDate = "1988-01-01";
      }),
    );
    const change = { birthDate: "1991-05-05", birthDateEstimated: isExact };
    await ok(world.view.individuals.patch(address, change, { ifMatch: "*" }));
    await client.sync();

    const [parked] = await client.parked();
    expect(parked?.conflicts.map(({ path }) => path).sort()).toEqual(["/birthDate", "/birthDateEstimated"]);
    expect(parked).toMatchObject({ base: estimate, ours: { birthDateEstimated: true } });
    const { revision = "" } = parked ?? {};
    const choices = { "/birthDate": "ours", "/birthDateEstimated": "ours" } as const;
    await ok(client.resolve(reference, { kind: "choose", revision, choices }));
    await client.sync();
    const stored = unwrap(await world.view.individuals.read(address));
    expect(stored).toMatchObject({ birthDate: "1988-01-01", birthDateEstimated: true });
  },
);
