import type { Outcome } from "@fieldroll/core";
import type { ParkedRecord, Resolution } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const office = `${system}|ANA`;

const ways = [
  ["choose", "conflict"],
  ["choose", "duplicate"],
  ["adopt", "duplicate"],
] as const;

describe("a decision", () => {
  let world: World;
  let device: Device;

  const onServer = async () => (await ok(world.view.individuals.read(office))).birthDate;
  const parkedNow = async () => (await device.client.parked()) as [ParkedRecord];
  /** Decides on the parked record as plain JavaScript may. */
  const decide = async (decision: unknown): Promise<Outcome<void>> => {
    const [{ reference }] = await parkedNow();
    return device.client.resolve(reference, decision as Resolution);
  };

  /** Somebody whose day of birth this device and the office say differently: a conflict, or a duplicate. */
  async function park(reason: "conflict" | "duplicate") {
    const { client } = device;
    const person = { type: "Individual", identifier: [{ system, value: "ANA" }], name: { family: "Cruz" } };
    const here = { identifier: person.identifier, name: person.name, birthDate: "1990-01-01" };
    if (reason === "duplicate") await ok(client.individuals.create(here));
    await ok(world.view.individuals.create({ ...person, birthDate: "1988-04-02" }));
    if (reason === "conflict") {
      await client.sync();
      device.online = false;
      await ok(client.individuals.update(ana, (draft) => ({ ...draft, birthDate: "1990-01-01" })));
      device.online = true;
      await ok(world.view.individuals.patch(office, { birthDate: "1988-04-03" }, { ifMatch: "*" }));
    }
    await client.sync();
    const [parked] = await parkedNow();
    expect(parked).toMatchObject({ reason, conflicts: [{ path: "/birthDate" }] });
    return parked;
  }

  beforeEach(async () => {
    world = await createWorld();
    device = world.device("a");
    await ok(device.client.signIn(credentials));
  });

  describe.each(ways)("of %s, for a %s", (kind, reason) => {
    // Each was taken for the removal of the day of birth once, on the server too.
    it.each([["mine"], [5], [null], [{}], [[]], [{ value: undefined }]])(
      "is refused where a choice is %j, and changes nothing",
      async (choice) => {
        const { revision } = await park(reason);
        const before = await onServer();
        expect(await decide({ kind, revision, choices: { "/birthDate": choice } })).toEqual({
          ok: false,
          problem: {
            kind: "bad-request",
            detail: 'The choice for /birthDate must be "ours", "theirs" or { value }.',
            errors: [
              {
                field: "/birthDate",
                code: "invalid_parameter",
                message: 'must be "ours", "theirs" or { value }',
              },
            ],
          },
        });
        expect(await device.client.sync()).toMatchObject({ parked: 1 });
        expect(await parkedNow()).toMatchObject([{ revision, ours: { birthDate: "1990-01-01" } }]);
        expect(await onServer()).toBe(before);
      },
    );

    it("is refused without the revision that it is about", async () => {
      await park(reason);
      const choices = { "/birthDate": "ours" };
      expect(await decide({ kind, choices })).toMatchObject({
        problem: {
          kind: "bad-request",
          detail: expect.stringContaining("The decision's revision must be given"),
        },
      });
      expect(await parkedNow()).toHaveLength(1);
    });
  });

  it.each([[undefined], [null], ["ours"], [{}], [{ kind: "foo" }]])("is refused as %j", async (decision) => {
    await park("conflict");
    expect(await decide(decision)).toMatchObject({
      problem: {
        kind: "bad-request",
        detail: 'The decision\'s kind must be "choose", "adopt", "retry" or "discard".',
        errors: [{ field: "kind" }],
      },
    });
  });

  it.each([[undefined], [null], ["ours"], [["ours"]]])("is refused with %j for choices", async (choices) => {
    const { revision } = await park("conflict");
    expect(await decide({ kind: "choose", revision, choices })).toMatchObject({
      problem: {
        kind: "bad-request",
        detail:
          "The decision's choices must be given: the parked record's revision, and a choice for each of its conflicts.",
      },
    });
  });

  it("is still told from one about another place", async () => {
    const { revision } = await park("conflict");
    expect(await decide({ kind: "choose", revision, choices: { "/gender": "ours" } })).toMatchObject({
      problem: {
        kind: "invalid-state",
        detail: "/gender is not in conflict; choose for /birthDate.",
      },
    });
  });

  it.each(ways)(
    "of %s, for a %s, is refused for a value that an edit could not set either",
    async (kind, reason) => {
      const { revision } = await park(reason);
      const choose = (value: unknown) => decide({ kind, revision, choices: { "/birthDate": { value } } });
      for (const wrong of ["x", null, Number.NaN, new Date(0)]) {
        expect(await choose(wrong)).toMatchObject({
          problem: { kind: "validation", errors: [{ field: "/birthDate" }] },
        });
        expect(await parkedNow()).toMatchObject([{ revision, ours: { birthDate: "1990-01-01" } }]);
      }
      expect(await choose("1989-03-03")).toEqual({ ok: true, value: undefined });
      expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0 });
      expect(await onServer()).toBe("1989-03-03");
    },
  );

  it("does not lead an enrollment on from where the server's is not any more", async () => {
    const program = [{ system: "urn:test:program", value: "P" }];
    const { client } = device;
    await ok(
      world.view.programs.create({
        ...{ type: "Program", identifier: program, name: "P", targetType: "individual" },
      }),
    );
    const person = { type: "Individual", identifier: [{ system, value: "ANA" }], name: { family: "Cruz" } };
    await ok(world.view.individuals.create(person));
    await client.sync();
    const { reference } = await ok(
      client.memberships.create({
        program: { reference: "Program/urn:test:program|P" },
        beneficiary: { reference: ana },
        status: "enrolled",
      }),
    );
    await client.sync();
    device.online = false;
    await ok(client.memberships.update(reference, (draft) => ({ ...draft, status: "paused" })));
    device.online = true;
    const address = reference.slice(reference.indexOf("/") + 1);
    const left = { status: "exited", exitReason: "moved" };
    await ok(world.view.memberships.patch(address, left, { ifMatch: "*" }));
    await client.sync();
    const [{ revision, conflicts }] = await parkedNow();
    const all = (side: string) => Object.fromEntries(conflicts.map(({ path }) => [path, side]));
    expect(await decide({ kind: "choose", revision, choices: all("ours") })).toMatchObject({
      problem: { kind: "validation", errors: [{ field: "/status", code: "invalid_transition" }] },
    });
    expect(await parkedNow()).toMatchObject([{ revision, ours: { status: "paused" } }]);
    expect(await decide({ kind: "choose", revision, choices: all("theirs") })).toMatchObject({ ok: true });
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
  });
});
