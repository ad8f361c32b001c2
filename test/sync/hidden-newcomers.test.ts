import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { createWorld, credentials, type Device, partner, type World } from "./support/world.ts";

const household = `Group/${system}|HH`;
const all = [{ resourceType: "all", fieldAccess: "all" }] as const;

/** Somebody registered by whoever consents bind is hidden until her own consent is on file: what refers to her waits for that. */
describe.each([
  ["an office's number", [{ system, value: "N20" }]],
  ["a number made here", undefined],
])(
  "what means somebody registered here with %s, and hidden until her consent is recorded, arrives",
  (_, identifier) => {
    let world: World;
    let device: Device;

    const consent = (reference: string) =>
      ok(world.view.consents.grant({ subject: { reference }, grantee: { organization: "Aid" }, scope: all }));
    const register = async () => {
      const born = { name: { given: "Nina" }, birthDate: "2020-01-01", ...(identifier && { identifier }) };
      return (await ok(device.client.individuals.create(born))).reference;
    };
    const works = {
      "her household": async (reference: string) => {
        await ok(
          device.client.groups.update(household, (draft) => {
            draft.member = [{ entity: { reference } }];
          }),
        );
      },
      "her enrollment": async (reference: string) => {
        const program = { reference: `Program/${system}|P` };
        const enrollment = { status: "enrolled", program, beneficiary: { reference } } as const;
        await ok(device.client.memberships.create(enrollment));
      },
    };
    const swap = async () => {
      await ok(device.client.signIn(credentials));
      await device.client.sync();
      await ok(device.client.signIn(partner));
    };
    const ways = {
      "while nobody else signs in": { before: async () => {}, after: async () => {} },
      "where a colleague had the tablet after she was sent": { before: async () => {}, after: swap },
      "where a colleague had the tablet before": { before: swap, after: async () => {} },
    };

    it.each(
      Object.entries(works).flatMap(([what, work]) =>
        Object.entries(ways).map(([how, way]) => ({ what, how, work, way })),
      ),
    )("$what, $how", async ({ work, way }) => {
      world = await createWorld();
      const { groups, programs, individuals, memberships } = world.view;
      const named = (value: string) => [{ system, value }];
      await ok(
        groups.create({ type: "Group", identifier: named("HH"), groupType: "household", name: "Cruz" }),
      );
      await ok(
        programs.create({ type: "Program", identifier: named("P"), name: "Cash", targetType: "individual" }),
      );
      await consent(household);
      device = world.device("a");
      await ok(device.client.signIn(partner));
      await device.client.sync();
      await work(await register());
      await way.before();
      for (let run = 0; run < 2; run++) await device.client.sync();
      expect(await device.client.parked()).toMatchObject([{ reason: "rejected" }]);
      await way.after();
      const [nina] = (await ok(individuals.search({}))).data;
      const { system: space = "", value = "" } = nina?.identifier[0] ?? {};
      await consent(`Individual/${space}|${value}`);
      for (let day = 0; day < 2; day++) {
        await device.client.sync();
        for (const { reference, revision } of await device.client.parked())
          await ok(device.client.resolve(reference, { kind: "retry", revision }));
        world.pass(25 * 3_600_000);
      }
      await device.client.sync();
      expect(device.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      const members = (await ok(groups.read(`${system}|HH`))).member ?? [];
      const enrolled = (await ok(memberships.search({}))).data;
      const meant = [
        ...members.map(({ entity }) => entity),
        ...enrolled.map(({ beneficiary }) => beneficiary),
      ];
      expect(meant.map(({ reference }) => reference)).toEqual([`Individual/${space}|${value}`]);
    });
  },
);

it.each([false, true])(
  "whoever has the number of somebody hidden by now is not taken for her, where a colleague had the tablet: %s",
  async (swaps) => {
    const world = await createWorld();
    const { groups, individuals } = world.view;
    const named = (value: string) => [{ system, value }];
    const consent = (reference: string) =>
      ok(world.view.consents.grant({ subject: { reference }, grantee: { organization: "Aid" }, scope: all }));
    await ok(groups.create({ type: "Group", identifier: named("HH"), groupType: "household", name: "Cruz" }));
    await consent(household);
    const { client } = world.device("a");
    await ok(client.signIn(partner));
    await client.sync();
    const born = { identifier: named("N20"), name: { given: "Nina" }, birthDate: "2020-01-01" };
    const { reference } = await ok(client.individuals.create(born));
    await ok(
      client.groups.update(household, (draft) => {
        draft.member = [{ entity: { reference } }];
      }),
    );
    for (let run = 0; run < 2; run++) await client.sync();
    if (swaps) {
      await ok(client.signIn(credentials));
      await client.sync();
      await ok(client.signIn(partner));
    }
    await ok(individuals.patch(`${system}|N20`, { identifier: named("N21") }, { ifMatch: "*" }));
    const otto = {
      type: "Individual",
      identifier: named("N20"),
      name: { given: "Otto" },
      birthDate: "1955-05-05",
    };
    await ok(individuals.create(otto));
    for (const value of ["N20", "N21"]) await consent(`Individual/${system}|${value}`);
    for (let run = 0; run < 3; run++) {
      await client.sync();
      for (const { reference: waits, revision } of await client.parked())
        await client.resolve(waits, { kind: "retry", revision });
    }
    await client.sync();
    expect((await ok(groups.read(`${system}|HH`))).member ?? []).toEqual([]);
    expect(await client.parked()).toMatchObject([{ reference: household, reason: "rejected" }]);
  },
);
