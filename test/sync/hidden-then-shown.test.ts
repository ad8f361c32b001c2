import type { Group, Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, type Device, partner, type World } from "./support/world.ts";

const ana = { system, value: "ANA" };
const home = { system, value: "H" };
const reference = `Individual/${system}|ANA`;
const household = `Group/${system}|H`;
const numbers = (...values: string[]) => values.map((value) => ({ system: "phone" as const, value }));

/** A tablet of a partner, whom people show as much as they consent to, narrower for a while. */
describe("work upon a copy that consents narrow", () => {
  let world: World;
  let device: Device;
  let given: readonly string[];

  const grant = async (subject: string, scope: object) => {
    const grantee = { organization: "Aid" };
    const resourceType = subject.startsWith("Group") ? "Group" : "Individual";
    const asked = { subject: { reference: subject }, grantee, scope: [{ resourceType, ...scope }] };
    return (await ok(world.view.consents.grant(asked as never))).id;
  };
  const consents = async (scope: object) => {
    for (const id of given) await ok(world.view.consents.revoke(id));
    given = [await grant(reference, scope), await grant(household, scope)];
  };
  const edit = (change: (draft: Individual) => void) =>
    ok(device.client.individuals.update(reference, change));
  const there = () => ok(world.view.individuals.read(ana));
  const office = (patch: Parameters<World["view"]["individuals"]["patch"]>[1]) =>
    ok(world.view.individuals.patch(ana, patch, { ifMatch: "*" }));
  const decide = async (side: "ours" | "theirs") => {
    const [parked] = await device.client.parked();
    const { revision = "", conflicts = [] } = parked ?? {};
    const choices = Object.fromEntries(conflicts.map(({ path }) => [path, side]));
    await ok(device.client.resolve(reference, { kind: "choose", revision, choices }));
    return conflicts.map(({ path }) => path).sort();
  };

  /** Ana in a program, as a draft. */
  const enroll = async () => {
    const [program, enrollment] = ["P", "M"].map((value) => ({ system, value }));
    const cash = { type: "Program" as const, name: "Cash", targetType: "individual" as const, active: true };
    await ok(world.view.programs.create({ ...cash, identifier: [program] } as never));
    await ok(
      world.view.memberships.create({
        ...{
          type: "ProgramMembership",
          identifier: [enrollment],
          program: { reference: `Program/${system}|P` },
        },
        ...{ beneficiary: { reference }, status: "draft", enrollmentDate: "2025-01-01" },
      } as never),
    );
  };

  beforeEach(async () => {
    given = [];
    world = await createWorld();
    const person = personOf("ANA", { family: "Cruz", given: "Ana" });
    const born = { birthDate: "1990-01-01", birthDateEstimated: true };
    await ok(world.view.individuals.create({ ...person, ...born, telecom: numbers("100", "101") }));
    const member = [{ entity: { reference } }];
    const group = {
      type: "Group" as const,
      groupType: "household",
      name: "Cruz",
      identifier: [home],
      member,
    };
    await ok(world.view.groups.create(group));
    await consents({ fieldAccess: "all" });
    device = world.device("a");
    await ok(device.client.signIn(partner));
    await device.client.sync();
  });

  const narrow = [{ fieldAccess: "basic" }, { fieldAccess: "custom", fields: ["name"] }];

  /** Once, that a narrower copy lacks it counted as taken out by others too, and the edit as done. */
  it.each(narrow)("waits where it takes out what is hidden by now: %o", async (scope) => {
    await edit((draft) => {
      draft.telecom = numbers("101");
      delete draft.birthDate;
      delete draft.birthDateEstimated;
    });
    await ok(
      device.client.groups.update(household, (draft: Group) => {
        draft.member = [];
      }),
    );
    await consents(scope);
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ parked: 2 });
    const { record } = await ok(device.client.individuals.read(reference));
    expect(record.telecom ?? []).toEqual([]);
    expect(Object.keys(record.meta ?? {})).not.toContain("shows");
    await consents({ fieldAccess: "all" });
    for (const one of [reference, household]) await ok(device.client.resolve(one, { kind: "retry" }));
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    const { telecom, birthDate } = await there();
    expect({ telecom, birthDate }).toEqual({ telecom: numbers("101"), birthDate: undefined });
    expect((await ok(world.view.groups.read(home))).member ?? []).toEqual([]);
  });

  /** Once, the decision stood on the narrow copy with its version, and replaced what that hid. */
  it("meets what was hidden while a conflict was decided", async () => {
    await edit((draft) => {
      draft.name.family = "Mine";
      draft.telecom = numbers("100", "101", "200");
    });
    await office({ name: { family: "Office" }, telecom: numbers("100", "101", "900") });
    await consents({ fieldAccess: "basic" });
    await device.client.sync();
    expect(await decide("ours")).toEqual(["/name/family"]);
    await consents({ fieldAccess: "all" });
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    const { name, telecom } = await there();
    expect(name.family).toBe("Mine");
    expect(telecom).toEqual(numbers("100", "101", "900", "200"));
  });

  /** Once, it was sent with the version that the narrow copy had. */
  it.each([{ refused: false }, { refused: true }])(
    "asks about what was hidden when it was typed (refused first: $refused)",
    async ({ refused }) => {
      await consents({ fieldAccess: "basic" });
      await device.client.sync();
      await edit((draft) => {
        draft.birthDate = "1985-05-05";
        draft.telecom = numbers("200");
      });
      if (refused) {
        await device.client.sync();
        expect(await device.client.parked()).toMatchObject([{ reason: "forbidden" }]);
      }
      await consents({ fieldAccess: "all" });
      if (refused) await ok(device.client.resolve(reference, { kind: "retry" }));
      await device.client.sync();
      expect(await decide("theirs")).toEqual(["/birthDate", "/birthDateEstimated"]);
      expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
      const { telecom, birthDate } = await there();
      expect(birthDate).toBe("1990-01-01");
      expect(telecom).toEqual(numbers("100", "101", "200"));
    },
  );

  /** Once, what was hidden of each member was taken from her. */
  it("meets what was hidden of the items of a list", async () => {
    const period = { start: "2020-01-01" };
    const role = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };
    await ok(
      world.view.groups.patch(home, { member: [{ entity: { reference }, role, period }] }, { ifMatch: "*" }),
    );
    await consents({ fieldAccess: "custom", fields: ["member.entity", "meta"] });
    await device.client.sync();
    await ok(
      device.client.groups.update(household, (draft: Group) => {
        for (const one of draft.member ?? []) one.inactive = true;
      }),
    );
    await consents({ fieldAccess: "all" });
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect((await ok(world.view.groups.read(home))).member).toMatchObject([{ role, period, inactive: true }]);
  });

  /** Once, an enrollment that was shown without its status was replaced by one without. */
  it("leaves what was hidden of an enrollment that is sent whole", async () => {
    await enroll();
    await ok(
      world.view.memberships.patch({ system, value: "M" }, { status: "not_eligible" }, { ifMatch: "*" }),
    );
    const all = { resourceType: "all" };
    await consents({
      ...all,
      fieldAccess: "custom",
      fields: ["beneficiary", "program", "enrollmentDate", "meta"],
    });
    await device.client.sync();
    const enrolledOn = (enrollmentDate: string, status?: "not_eligible") =>
      ok(
        device.client.memberships.update(`ProgramMembership/${system}|M`, (draft) => {
          Object.assign(draft, { enrollmentDate, ...(status && { status }) });
        }),
      );
    const enrolled = () => ok(world.view.memberships.read({ system, value: "M" }));
    await enrolledOn("2025-02-02");
    await consents({ ...all, fieldAccess: "all" });
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect(await enrolled()).toMatchObject({ status: "not_eligible", enrollmentDate: "2025-02-02" });
    // Once, what was typed back while it was hidden was sent as well.
    await enrolledOn("2025-03-03");
    await consents({ ...all, fieldAccess: "custom", fields: ["beneficiary", "program", "status", "meta"] });
    const address = { system, value: "M" };
    await ok(
      world.view.memberships.patch(
        address,
        { enrollmentDate: "2025-09-09", status: "draft" },
        { ifMatch: "*" },
      ),
    );
    await device.client.sync();
    await enrolledOn("2025-02-02", "not_eligible");
    await consents({ ...all, fieldAccess: "all" });
    for (const { reference: one } of await device.client.parked())
      await ok(device.client.resolve(one, { kind: "retry" }));
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect(await enrolled()).toMatchObject({ status: "not_eligible", enrollmentDate: "2025-09-09" });
  });

  /** Once, an edit made `null` of whom it could not see, and was refused for that, or asked about it. */
  it("says nothing of whose an enrollment is where that is hidden", async () => {
    await enroll();
    const all = { resourceType: "all" };
    await consents({ ...all, fieldAccess: "custom", fields: ["status", "enrollmentDate", "meta"] });
    await device.client.sync();
    const membership = `ProgramMembership/${system}|M`;
    const made = await ok(
      device.client.memberships.update(membership, (draft) => {
        draft.enrollmentDate = "2025-02-02";
      }),
    );
    expect(Object.keys(made.record)).not.toContain("program");
    await device.client.sync();
    await consents({ ...all, fieldAccess: "all" });
    for (const { reference: one } of await device.client.parked())
      await ok(device.client.resolve(one, { kind: "retry" }));
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await ok(world.view.memberships.read({ system, value: "M" }))).toMatchObject({
      program: { reference: `Program/${system}|P` },
      enrollmentDate: "2025-02-02",
    });
  });

  /** Once, all of it stayed on the tablet, to be read and found, until somebody decided. */
  it("shows no more than what was changed where nothing is consented to any more", async () => {
    await edit((draft) => {
      draft.name.given = "Anna";
    });
    for (const id of given) await ok(world.view.consents.revoke(id));
    given = [];
    await device.client.sync();
    const [parked] = await device.client.parked();
    expect(parked).toMatchObject({ reason: "gone", ours: { name: { given: "Anna" } } });
    expect(Object.keys({ ...parked?.ours, ...parked?.base }).sort()).toEqual(["identifier", "name", "type"]);
    await consents({ fieldAccess: "all" });
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect(await there()).toMatchObject({ name: { given: "Anna" }, telecom: numbers("100", "101") });
  });

  /** Once, what was typed where nothing was shown took the place of what was there. */
  it.each([true, false])(
    "meets what was typed where nothing was shown (sent again by a person: %s)",
    async (again) => {
      await edit((draft) => {
        draft.name.given = "Anna";
      });
      for (const id of given) await ok(world.view.consents.revoke(id));
      given = [];
      await device.client.sync();
      await edit((draft) => {
        draft.telecom = numbers("200");
        draft.birthDate = "1985-05-05";
      });
      await consents({ fieldAccess: "all" });
      if (again) await ok(device.client.resolve(reference, { kind: "retry" }));
      await device.client.sync();
      expect(await decide("theirs")).toEqual(["/birthDate", "/birthDateEstimated"]);
      expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
      const { name, telecom, birthDate } = await there();
      expect([name.given, birthDate, telecom]).toEqual(["Anna", "1990-01-01", numbers("100", "101", "200")]);
    },
  );

  it("leaves nothing of what is hidden where it is given up", async () => {
    await edit((draft) => {
      draft.telecom = numbers("101");
    });
    await consents({ fieldAccess: "basic" });
    await device.client.sync();
    await ok(device.client.resolve(reference, { kind: "discard" }));
    const { record } = await ok(device.client.individuals.read(reference));
    expect(record).not.toHaveProperty("telecom");
    expect((await there()).telecom).toEqual(numbers("100", "101"));
  });
});
