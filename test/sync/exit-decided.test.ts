import type { ProgramMembership } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const program = { system: "urn:test:program", value: "P" };
const exited = { status: "exited", exitReason: "Moved" } as const;

type Side = "ours" | "theirs";

describe("an enrollment that two sides lead to other states", () => {
  let world: World;
  let device: Device;
  let reference = "";

  const address = () => reference.slice(reference.indexOf("/") + 1);
  const stored = () => ok(world.view.memberships.read(address()));
  const here = (change: Partial<ProgramMembership>) =>
    ok(device.client.memberships.update(reference, (record) => ({ ...record, ...change })));
  const there = (change: object) => ok(world.view.memberships.patch(address(), change, { ifMatch: "*" }));
  const parkedNow = async () => {
    const [parked] = await device.client.parked();
    return { conflicts: [], revision: "", ...parked };
  };
  const choose = async (sideOf: (path: string) => Side | { readonly value: unknown }) => {
    const { revision, conflicts } = await parkedNow();
    const choices = Object.fromEntries(conflicts.map(({ path }) => [path, sideOf(path)]));
    return device.client.resolve(reference, { kind: "choose", revision, choices });
  };

  beforeEach(async () => {
    world = await createWorld();
    device = world.device("a");
    const { programs, individuals, memberships } = world.view;
    await ok(
      programs.create({ type: "Program", identifier: [program], name: "P", targetType: "individual" }),
    );
    await ok(
      individuals.create({
        ...{ type: "Individual", identifier: [{ system, value: "ANA" }], name: { family: "Cruz" } },
      }),
    );
    const made = await ok(
      memberships.create({
        ...{ type: "ProgramMembership", program: { reference: "Program/urn:test:program|P" } },
        ...{ beneficiary: { reference: ana }, status: "enrolled", enrollmentDate: "2025-01-01" },
      }),
    );
    const [id] = made.record.identifier;
    reference = `ProgramMembership/${id?.system}|${id?.value}`;
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  });

  /** Once, the status of the one with the date of the other went out, and the server, which keeps its date, had nothing to change. */
  it.each(["/status", "/exitReason", "/exitDate"])(
    "is decided on as a whole: all of one side but %s is refused, with what belongs together",
    async (other) => {
      await here({ status: "paused" });
      await there(exited);
      await device.client.sync();
      const { conflicts } = await parkedNow();
      const paths = conflicts.map(({ path }) => path);
      expect(paths.toSorted()).toEqual(["/exitDate", "/exitReason", "/status"]);
      for (const { together } of conflicts) expect(together).toEqual(["/status", "/exitDate", "/exitReason"]);
      for (const [side, rest] of [
        ["ours", "theirs"],
        ["theirs", "ours"],
      ] as const) {
        expect(await choose((path) => (path === other ? side : rest))).toEqual({
          ok: false,
          problem: {
            kind: "invalid-state",
            detail:
              "/status, /exitDate, /exitReason are decided together: choose ours for all of them or theirs for all of them, or give values.",
          },
        });
      }
      expect(await choose(() => "theirs")).toMatchObject({ ok: true });
      expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    },
  );

  it("may be left by the other side's decision on another day", async () => {
    await here({ ...exited, exitDate: "2025-06-01" });
    await there({ status: "paused" });
    await device.client.sync();
    expect(await choose((path) => (path === "/exitDate" ? { value: "2025-06-02" } : "ours"))).toMatchObject({
      ok: true,
    });
    await device.client.sync();
    expect(await stored()).toMatchObject({ ...exited, exitDate: "2025-06-02" });
  });

  /** The server keeps what day it was, and answers with the version that it has. */
  it("has arrived where the server keeps the day that a person takes out", async () => {
    await here({ status: "paused" });
    await there(exited);
    await device.client.sync();
    const before = await stored();
    await ok(choose((path) => (path === "/exitDate" ? { value: null } : "theirs")));
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    expect(await stored()).toEqual(before);
    const held = await ok(device.client.memberships.read(reference));
    expect(held).toMatchObject({ state: "synced", record: { exitDate: before.exitDate } });
  });

  it("has arrived where the server keeps the day that was taken out here while it was enrolled there", async () => {
    await there({ status: "not_eligible" });
    await device.client.sync();
    await ok(device.client.memberships.update(reference, ({ enrollmentDate: _, ...record }) => record));
    await there({ status: "enrolled" });
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    expect(await stored()).toMatchObject({ status: "enrolled", enrollmentDate: "2025-01-01" });
    const held = await ok(device.client.memberships.read(reference));
    expect(held).toMatchObject({ state: "synced", record: { enrollmentDate: "2025-01-01" } });
  });

  /** Once, every answer was refused, as if both moves were one. */
  it.each<Side | { readonly value: unknown }>(["ours", "theirs", { value: "2025-12-30" }])(
    "is judged as the steps that it leaves as, where several were made here (%j)",
    async (choice) => {
      const other = { system: "urn:test:program", value: "Q" };
      await ok(
        world.view.programs.create({
          ...{ type: "Program", identifier: [other], name: "Q", targetType: "individual" },
        }),
      );
      const draft = await ok(
        world.view.memberships.create({
          ...{ type: "ProgramMembership", program: { reference: "Program/urn:test:program|Q" } },
          ...{ beneficiary: { reference: ana }, status: "draft" },
        }),
      );
      const [id] = draft.record.identifier;
      reference = `ProgramMembership/${id?.system}|${id?.value}`;
      await device.client.sync();
      await here({ status: "enrolled" });
      await here(exited);
      await there({ enrollmentDate: "2025-12-27" });
      await device.client.sync();
      expect((await parkedNow()).conflicts).toMatchObject([{ path: "/enrollmentDate" }]);
      await ok(choose(() => choice));
      await device.client.sync();
      expect(device.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      const days = { ours: "2026-01-15", theirs: "2025-12-27" };
      const enrollmentDate = typeof choice === "string" ? days[choice] : choice.value;
      expect(await stored()).toMatchObject({ ...exited, enrollmentDate });
    },
  );
});
