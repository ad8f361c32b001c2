import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { tabletOf } from "./support/files.ts";
import { ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const ana = { reference: `Individual/${system}|ANA` };
const household = (name: string) => `Group/${system}|${name}`;
const housed = {
  person: { ...ana, display: "Ana Cruz" },
  household: { reference: household("CRUZ"), display: "Household CRUZ" },
};

/** A server that has Ana in the household of the Cruz refuses her in the household of the Diaz. */
describe("a household that is refused for a person of another one", () => {
  let world: World;
  let tablet: Device;
  let isInBoth: boolean;

  beforeEach(async () => {
    isInBoth = true;
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    for (const name of ["CRUZ", "DIAZ"]) {
      const member = name === "CRUZ" ? [{ entity: ana }] : [];
      const identifier = [{ system, value: name }];
      await ok(
        world.view.groups.create({
          type: "Group",
          identifier,
          groupType: "household",
          name,
          member,
        } as never),
      );
    }
    const errors = [{ field: "/member/0/entity", code: "other_household", message: "Ana is elsewhere." }];
    tablet = await tabletOf(world, "a", {
      network: answering(({ path, method }) =>
        isInBoth && method === "PATCH" && path.endsWith("DIAZ")
          ? refusal(409, "invalid-state", { errors, households: [housed] })
          : undefined,
      ),
    });
    await ok(
      tablet.client.groups.update(household("DIAZ"), (draft) => {
        draft.member = [{ entity: ana }];
      }),
    );
    await tablet.client.sync();
  });

  const members = async () =>
    (await ok(world.view.groups.read(`${system}|DIAZ`))).member?.map(({ entity }) => entity.reference) ?? [];

  it("waits for a person, and says who and where", async () => {
    await tablet.client.sync();
    expect(await tablet.client.parked()).toMatchObject([
      {
        ...{ reference: household("DIAZ"), reason: "rejected" },
        ...{ errors: [{ code: "other_household" }], households: [housed] },
      },
    ]);
  });

  it("is sent again by itself once the person has left the other", async () => {
    const left = { member: [{ entity: ana, inactive: true }] };
    await ok(world.view.groups.patch(`${system}|CRUZ`, left, { ifMatch: "*" }));
    isInBoth = false;
    for (let times = 0; times < 2; times++) await tablet.client.sync();
    expect(tablet.client.status.current).toMatchObject({ parked: 0, pending: 0, lastError: null });
    expect(await members()).toEqual([ana.reference]);
  });

  it("is settled where the person is taken out of it again", async () => {
    await ok(
      tablet.client.groups.update(household("DIAZ"), (draft) => {
        draft.member = [];
      }),
    );
    expect(await tablet.client.sync()).toMatchObject({ parked: 0, pending: 0, lastError: null });
    expect(await members()).toEqual([]);
  });
});
