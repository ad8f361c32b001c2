import { describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const address = `${system}|H`;
const referenceOf = (value: string) => `Individual/${system}|${value}`;

interface Member {
  readonly entity: { readonly reference: string };
  readonly inactive?: boolean;
}

const changes = {
  "one is taken out": { change: (all: readonly Member[]) => all.slice(1), left: ["Ben"] },
  "all are taken out": { change: () => [], left: [] },
  "one is marked as left": {
    change: ([first, ...rest]: readonly Member[]) => [
      ...(first ? [{ ...first, inactive: true }] : []),
      ...rest,
    ],
    left: ["Ana, left", "Ben"],
  },
};

/** "Their sealed work comes back" (decision 73): whom it means, also where the server tells no keys and everybody was listed again. */
describe.each([
  ["whose server tells keys", false],
  ["at a plain server", true],
])("sealed work on a household %s, where somebody else signed in meanwhile", (_, isPlain) => {
  it.each(Object.entries(changes))("%s", async (_name, { change, left }) => {
    const world = await createWorld();
    const { individuals, groups } = world.view;
    for (const value of ["Ana", "Ben"]) {
      const name = { family: "Cruz", given: value };
      await ok(individuals.create({ type: "Individual", identifier: [{ system, value }], name }));
    }
    const member = ["Ana", "Ben"].map((value) => ({ entity: { reference: referenceOf(value) } }));
    const group = { type: "Group", identifier: [{ system, value: "H" }], groupType: "household", name: "H" };
    await ok(groups.create({ ...group, member }));
    const { client } = world.device("a", isPlain ? { network: plain } : {});
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.groups.update(`Group/${address}`, (draft) => {
        draft.member = [...change(draft.member ?? [])] as NonNullable<typeof draft.member>;
      }),
    );
    await ok(client.signOut({ unsent: "seal" }));
    await ok(client.signIn({ ...credentials, clientId: "other" }));
    await client.sync();
    await ok(client.signOut());
    await ok(groups.patch(address, { name: "Renamed" }, { ifMatch: "*" }));
    await ok(client.signIn(credentials));
    for (let run = 0; run < 2; run++) await client.sync();

    const there = await ok(groups.read(address));
    const living = (there.member ?? []).map(
      ({ entity, inactive }) => `${entity.reference.split("|")[1]}${inactive ? ", left" : ""}`,
    );
    expect([living.sort(), there.name]).toEqual([left, "Renamed"]);
    expect(client.status.current).toMatchObject({ pending: 0, parked: 0 });
    const found = await ok(client.groups.search({ member: referenceOf("Ben") }));
    expect(found.data).toHaveLength(left.some((who) => who === "Ben") ? 1 : 0);
  });
});
