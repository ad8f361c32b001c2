import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { fileOf, other, run, tabletOf, take } from "./support/files.ts";
import { ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const corrected = `Individual/${system}|P2`;

describe.each(["in no file", "in a file"])("what refers to a record made offline, %s", (where) => {
  let world: World;
  let holdsUp: boolean;
  let tablet: Device;

  const toFile = async () => where === "in a file" && (await fileOf(tablet));
  const strangerComes = () =>
    ok(world.view.individuals.create(personOf("Q", { family: "Quezon", given: "Quin" })));
  const correct = async ({ client }: Device = tablet) => {
    const [jo] = (await ok(client.individuals.search({ name: "jo" }))).data;
    await ok(
      client.individuals.update(jo?.reference ?? "", (draft) => {
        draft.identifier = [{ system, value: "P2" }];
      }),
    );
  };
  const membersOf = async () =>
    (await ok(world.view.groups.search())).data.map(({ member }) =>
      member?.map(({ entity }) => entity.reference),
    );

  beforeEach(async () => {
    world = await createWorld();
    holdsUp = false;
    const cash = { identifier: [{ system: "urn:test:programs", value: "CASH" }], name: "Cash", active: true };
    await ok(
      world.view.programs.create({ type: "Program", ...cash, targetType: "individual", status: "active" }),
    );
    const network = answering(({ body }) =>
      holdsUp && JSON.stringify(body ?? "").includes("ProgramMembership")
        ? refusal(503, "unavailable")
        : undefined,
    );
    tablet = await tabletOf(world, "a", { network });
    tablet.online = false;
  });

  const household = () =>
    ok(
      tablet.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Diaz" },
        members: [
          { individual: { active: true, identifier: [{ system, value: "Q" }], name: { given: "Jo" } } },
        ],
      }),
    );

  it("goes by the number that was corrected before the first sync", async () => {
    await household();
    await toFile();
    await strangerComes();
    await correct();
    tablet.online = true;
    await run(tablet, 2);
    expect(await membersOf()).toEqual([[corrected]]);
    expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 0 });
  });

  it("goes by the number that was corrected when the first one was another person's", async () => {
    await household();
    await toFile();
    await strangerComes();
    tablet.online = true;
    expect(await tablet.client.sync()).toMatchObject({ parked: 1, pending: 1 });
    await correct();
    await run(tablet, 2);
    expect(await membersOf()).toEqual([[corrected]]);
  });

  it("enrolls that person where the enrollment leaves later", async () => {
    await ok(tablet.client.individuals.create(personOf("Q", { given: "Jo" })));
    await ok(
      tablet.client.memberships.create({
        program: { reference: "Program/urn:test:programs|CASH" },
        beneficiary: { reference: `Individual/${system}|Q` },
        status: "enrolled",
      }),
    );
    await toFile();
    await strangerComes();
    tablet.online = true;
    holdsUp = true;
    await run(tablet, 1);
    await correct();
    await run(tablet, 1);
    holdsUp = false;
    await run(tablet, 2);
    const enrolled = (await ok(world.view.memberships.search())).data;
    expect(enrolled.map(({ beneficiary }) => beneficiary.reference)).toEqual([corrected]);
  });

  it("does so on the device that took it in", async () => {
    await household();
    const second = await tabletOf(world, "b");
    await strangerComes();
    await take(second, await fileOf(tablet));
    await run(second, 1);
    await correct(second);
    await run(second, 2);
    expect(await membersOf()).toEqual([[corrected]]);
  });
});

it.each(["nobody's", "somebody else's"])(
  "a household goes on meaning whose number was wrong, %s, where the tablet was handed over in between",
  async (whose) => {
    const world = await createWorld();
    const { client }: Device = await tabletOf(world, "a", {
      // The head arrives, and her household does not.
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        if (init.method === "POST" && url.includes("/Individual")) await client.pause();
        return answer;
      },
    });
    await client.pause();
    const { members } = await ok(
      client.registerHousehold({
        group: { active: true, groupType: "household", name: "Diaz" },
        members: [
          { individual: { active: true, identifier: [{ system, value: "Q" }], name: { given: "Jo" } } },
        ],
      }),
    );
    await ok(
      client.individuals.update(members[0]?.reference ?? "", (draft) => {
        draft.identifier = [{ system, value: "P2" }];
      }),
    );
    if (whose !== "nobody's") await ok(world.view.individuals.create(personOf("Q", { given: "Quin" })));
    await client.resume();
    expect(await client.sync()).toMatchObject({ pending: 1, parked: 0 });
    await ok(client.signIn(other));
    await client.resume();
    await client.sync();
    await ok(client.signIn(credentials));
    await run({ client }, 2);
    const groups = (await ok(world.view.groups.search())).data;
    expect(groups.map(({ member }) => member?.map(({ entity }) => entity.reference))).toEqual([[corrected]]);
    expect(client.status.current).toMatchObject({ pending: 0, parked: 0 });
  },
);
