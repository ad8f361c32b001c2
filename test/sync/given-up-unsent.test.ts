import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const reference = `Individual/${system}|ANA`;
const discard = { kind: "discard" } as const;

/** Work that waits for no decision, and that its person takes back before it is sent: a registration made twice, or of the wrong family. */
describe("unsent work that is given up", () => {
  let world: World;
  let device: Device;
  /** What answers in the server's place, if anything. */
  let between: ((url: string) => ReturnType<typeof answer> | undefined) | null;

  const nameThere = async () =>
    (await ok(world.view.individuals.read({ system, value: "ANA" }))).name as { given: string };
  const rename = (given: string) =>
    device.client.individuals.update(reference, (draft) => {
      draft.name.given = given;
    });

  beforeEach(async () => {
    between = null;
    world = await createWorld();
    const { individuals, programs } = world.view;
    await ok(individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await ok(
      programs.create({
        ...{ type: "Program", identifier: [{ system, value: "CASH" }], name: "Cash" },
        ...{ targetType: "group", period: { start: "2020-01-01" } },
      }),
    );
    device = world.device("a", {
      network: (send) => async (url, init) => (init?.method !== "GET" && between?.(url)) || send(url, init),
    });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    world.requests.length = 0;
  });

  const writes = () => world.requests.filter((line) => !line.includes("GET") && !line.includes("token"));

  it("leaves the server's copy, and sends nothing", async () => {
    await ok(rename("Anita"));
    await ok(rename("Annie"));
    await ok(device.client.resolve(reference, discard));
    const held = await ok(device.client.individuals.read(reference));
    expect([held.state, held.record.name.given]).toEqual(["synced", "Ana"]);
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(writes()).toEqual([]);
  });

  it("leaves nothing of a record made here", async () => {
    const made = await ok(device.client.individuals.create({ name: { family: "Reyes" } }));
    await ok(device.client.resolve(made.reference, discard));
    expect(await device.client.individuals.read(made.reference)).toMatchObject({ ok: false });
    await device.client.sync();
    expect(writes()).toEqual([]);
  });

  it("goes in the order of what refers to what, and is refused in another", async () => {
    const [person] = [await ok(device.client.individuals.create({ name: { family: "Reyes" } }))];
    const household = await ok(
      device.client.groups.create({
        ...{ name: "Reyes", groupType: "household" },
        member: [{ entity: { reference: person.reference } }],
      }),
    );
    const enrolled = await ok(
      device.client.memberships.create({
        ...{ status: "enrolled", program: { reference: `Program/${system}|CASH` } },
        beneficiary: { reference: household.reference },
      }),
    );
    expect(await device.client.unsent()).toEqual(
      [person, household, enrolled].map((each) => ({
        ...{ type: expect.any(String), reference: each.reference, state: "pending" },
        ...{ isNew: true, since: expect.stringMatching(/^2026-01-15T/) },
      })),
    );
    for (const used of [person, household])
      expect(await device.client.resolve(used.reference, discard)).toMatchObject({
        problem: { kind: "invalid-state", errors: [{ code: "referred_to" }] },
      });
    for (const each of [enrolled, household, person])
      await ok(device.client.resolve(each.reference, discard));
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(writes()).toEqual([]);
  });

  it("is what was made of an enrollment, such as its end", async () => {
    const household = await ok(device.client.groups.create({ name: "Reyes", groupType: "household" }));
    const { reference: enrollment } = await ok(
      device.client.memberships.create({
        ...{ status: "enrolled", program: { reference: `Program/${system}|CASH` } },
        beneficiary: { reference: household.reference },
      }),
    );
    await device.client.sync();
    await ok(
      device.client.memberships.update(enrollment, (draft) => {
        draft.status = "exited";
        draft.exitReason = "moved";
      }),
    );
    await ok(device.client.resolve(enrollment, discard));
    expect(await ok(device.client.memberships.read(enrollment))).toMatchObject({
      state: "synced",
      record: { status: "enrolled" },
    });
  });

  it("is not given up while it may be on the server already", async () => {
    between = () => {
      throw new TypeError("Failed to fetch");
    };
    await ok(rename("Anita"));
    await device.client.sync();
    const refused = await device.client.resolve(reference, discard);
    expect(refused).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    expect(refused.ok ? "" : refused.problem.detail).toContain("being sent");
    between = null;
    await device.client.sync();
    expect((await nameThere()).given).toBe("Anita");
  });

  it("is given up where whoever is signed in may not write, with what was told meanwhile kept", async () => {
    between = () => {
      const { status, body } = refusal(403, "authorization", { missing_scope: "registry:write" });
      return answer(status, body, "application/problem+json");
    };
    await ok(rename("Anita"));
    const made = await ok(device.client.individuals.create({ name: { family: "Reyes" } }));
    expect(await device.client.sync()).toMatchObject({ sending: 2 });
    expect(await device.client.unsent()).toMatchObject([
      { reference, state: "sending", isNew: false },
      { reference: made.reference, state: "sending", isNew: true },
    ]);
    const { individuals } = world.view;
    await ok(individuals.patch({ system, value: "ANA" }, { birthDate: "1990-05-03" }, { ifMatch: "*" }));
    await device.client.sync();
    for (const each of [reference, made.reference]) await ok(device.client.resolve(each, discard));
    expect(await ok(device.client.individuals.read(reference))).toMatchObject({
      state: "synced",
      record: { birthDate: "1990-05-03", name: { given: "Ana" } },
    });
    expect(await device.client.individuals.read(made.reference)).toMatchObject({ ok: false });
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    await ok(device.client.signOut());
  });

  /** Once, it was given up, and arrived all the same. */
  it("is not given up where a file has it, or one attempt had no answer before the others were refused", async () => {
    await ok(rename("Anita"));
    await ok(device.client.exportUnsent("a long passphrase"));
    expect(await device.client.resolve(reference, discard)).toMatchObject({
      problem: { kind: "invalid-state" },
    });
    await device.client.sync();
    expect((await nameThere()).given).toBe("Anita");

    let isLost = true;
    between = () => {
      if (isLost) throw new TypeError("Failed to fetch");
      const { status, body } = refusal(403, "authorization", { missing_scope: "registry:write" });
      return answer(status, body, "application/problem+json");
    };
    await ok(rename("Annie"));
    await device.client.sync();
    isLost = false;
    await device.client.sync();
    expect(await device.client.resolve(reference, discard)).toMatchObject({
      problem: { kind: "invalid-state" },
    });
  });

  it("is not given up where it is what a restored server is given back", async () => {
    const backup = structuredClone(world.medium);
    await ok(rename("Anita"));
    await device.client.sync();
    const now = await restoredFrom(backup);
    world.moveTo(now);
    await ok(device.client.signIn(credentials));
    between = () => {
      const { status, body } = refusal(403, "authorization", { missing_scope: "registry:write" });
      return answer(status, body, "application/problem+json");
    };
    await device.client.sync();
    expect(await device.client.unsent()).toMatchObject([{ reference }]);
    expect(await device.client.resolve(reference, discard)).toMatchObject({
      problem: { kind: "invalid-state" },
    });
    between = null;
    await device.client.sync();
    expect((await ok(now.view.individuals.read({ system, value: "ANA" }))).name).toMatchObject({
      given: "Anita",
    });
  });

  it("is refused for what was edited since a person looked", async () => {
    await ok(rename("Anita"));
    expect(await device.client.resolve(reference, { ...discard, revision: "1/1" })).toMatchObject({
      problem: { kind: "conflict" },
    });
    for (const kind of ["retry", "choose", "adopt"] as const)
      expect(
        await device.client.resolve(reference, { kind, revision: "1/1", choices: {} } as never),
      ).toMatchObject({ problem: { kind: "invalid-state" } });
    expect((await ok(device.client.individuals.read(reference))).record.name.given).toBe("Anita");
  });
});
