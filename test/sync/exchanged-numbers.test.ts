import { unwrap } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const home = `Group/${system}|HOME`;
const person = (value: string, given: string, birthDate: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { given, family: "Cruz" },
  birthDate,
});

const household = (value: string) => ({
  type: "Group",
  identifier: [{ system, value }],
  groupType: "household",
});

describe.each([
  ["a server with a feed", (send: Fetch) => send, true],
  ["a plain server", (send: Fetch) => plain(send), false],
])(
  "two in one household whose numbers the office exchanges, for they were mixed up, at %s",
  (_kind, network, isTold) => {
    let world: World;
    let device: Device;
    let client: FieldClient;

    beforeEach(async () => {
      world = await createWorld();
      await ok(world.view.individuals.create(person("1", "Ana", "1980-01-01")));
      await ok(world.view.individuals.create(person("2", "Ben", "1990-02-02")));
      const member = ["1", "2"].map((value) => ({ entity: { reference: `Individual/${system}|${value}` } }));
      await ok(world.view.groups.create({ ...household("HOME"), name: "Home", member }));
      device = world.device("a", { network });
      client = device.client;
      await ok(client.signIn(credentials));
      await client.sync();
    });

    /** Who is in the household at the server, by the given name, and whether they are marked as having left. */
    async function atHome() {
      const found = unwrap(await world.view.groups.search({ name: "Home" }));
      const { member = [] } = found.data[0] ?? {};
      const all: string[] = [];
      for (const { entity, inactive } of member) {
        const { name } = unwrap(
          await world.view.individuals.read(entity.reference.slice("Individual/".length)),
        );
        all.push(`${name.given}${inactive ? ", left" : ""}`);
      }
      return all.sort();
    }

    const to = async (from: string, value: string) =>
      ok(
        world.view.individuals.patch(
          `${system}|${from}`,
          { identifier: [{ system, value }] },
          { ifMatch: "*" },
        ),
      );
    async function exchange() {
      await to("1", "3");
      await to("2", "1");
      await to("3", "2");
    }
    /** What the office does, who of the two is called 2 before, and who is at home then but for that one. */
    const stories: readonly [string, () => Promise<unknown>, readonly string[]][] = [
      ["exchanges the two numbers", exchange, ["Ana"]],
      [
        "gives one a number of their own, and theirs to the other",
        async () => {
          await to("2", "4");
          await to("1", "2");
        },
        ["Ana"],
      ],
      [
        "gives one a number of their own, and theirs to somebody who is new in the household",
        async () => {
          await to("2", "4");
          await ok(world.view.individuals.create(person("2", "Dan", "1970-03-03")));
          const { member = [] } = unwrap(await world.view.groups.read(`${system}|HOME`));
          const dan = { entity: { reference: `Individual/${system}|2` } };
          await ok(world.view.groups.patch(`${system}|HOME`, { member: [...member, dan] }, { ifMatch: "*" }));
        },
        ["Ana", "Dan"],
      ],
      [
        "gives the household another number, one of the two as well, and theirs to somebody who is new in it",
        async () => {
          await ok(
            world.view.groups.patch(
              `${system}|HOME`,
              { identifier: [{ system, value: "HOUSE" }] },
              { ifMatch: "*" },
            ),
          );
          await ok(world.view.groups.create({ ...household("HOME"), name: "Others" }));
          await to("2", "4");
          await ok(world.view.individuals.create(person("2", "Dan", "1970-03-03")));
          const { member = [] } = unwrap(await world.view.groups.read(`${system}|HOUSE`));
          const dan = { entity: { reference: `Individual/${system}|2` } };
          await ok(
            world.view.groups.patch(`${system}|HOUSE`, { member: [...member, dan] }, { ifMatch: "*" }),
          );
        },
        ["Ana", "Dan"],
      ],
    ];

    describe.each(stories)("where it %s", (_story, office, others) => {
      async function rest() {
        for (let run = 0; run < 3; run++) await client.sync();
        // Being asked is as good.
        return (await client.parked()).length === 0 ? atHome() : null;
      }
      const moveOut = () =>
        ok(
          client.groups.update(home, (draft) => {
            // Ben moved out.
            draft.member = (draft.member ?? []).map((one) =>
              one.entity.reference.endsWith("|2") ? { ...one, inactive: true } : one,
            );
          }),
        );
      const takeOut = () =>
        ok(
          client.groups.update(home, (draft) => {
            draft.member = (draft.member ?? []).filter((one) => !one.entity.reference.endsWith("|2"));
          }),
        );

      it("the one who was said to have left is the one who left", async () => {
        await moveOut();
        await office();
        expect([null, [...others, "Ben, left"].sort()]).toContainEqual(await rest());
      });

      it("the one who was taken out is the one who is out", async () => {
        await takeOut();
        await office();
        expect([null, others]).toContainEqual(await rest());
      });

      // Once all is known there, an exchange is two people more at a plain server.
      if (isTold)
        it("the one who is taken out when all that is known is the one who is out", async () => {
          await office();
          await client.sync();
          const found = await ok(client.groups.search({ name: "Home" }));
          const { record, reference: homeNow } = found.data[0] ?? { record: {}, reference: "" };
          const ben = await ok(client.individuals.search({ name: "Ben" }));
          const { reference } = ben.data[0] ?? { reference: "" };
          expect(record.member?.map(({ entity }) => entity.reference)).toContain(reference);
          await ok(
            client.groups.update(homeNow, (draft) => {
              draft.member = (draft.member ?? []).filter((one) => one.entity.reference !== reference);
            }),
          );
          expect([null, others]).toContainEqual(await rest());
        });
    });
  },
);
