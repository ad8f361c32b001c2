import { operator, unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { household, person, program, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const path = "/ProgramMembership/urn:m|1";

const statuses = ["draft", "enrolled", "paused", "exited", "not_eligible", "duplicated"] as const;
type Status = (typeof statuses)[number];

/** The contract's table, section 2. */
const moves: Readonly<Record<Status, readonly Status[]>> = {
  draft: ["enrolled", "not_eligible", "duplicated"],
  enrolled: ["paused", "exited", "not_eligible", "duplicated"],
  paused: ["enrolled", "exited", "not_eligible", "duplicated"],
  not_eligible: ["draft", "enrolled"],
  duplicated: ["draft"],
  exited: [],
};

/** How to get to a state from a new record. */
const ways: Readonly<Record<Status, readonly Status[]>> = {
  draft: ["draft"],
  enrolled: ["enrolled"],
  paused: ["enrolled", "paused"],
  exited: ["enrolled", "exited"],
  not_eligible: ["draft", "not_eligible"],
  duplicated: ["draft", "duplicated"],
};

const enrollment = (status: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value: "1" }],
  program: { reference: "Program/urn:service:program|cash" },
  beneficiary: { reference: "Group/urn:service:group|g" },
  status,
  ...(status === "exited" ? { exitReason: "moved away" } : {}),
  ...more,
});

async function start(open: (typeof stores)[number][1], registry = {}): Promise<World> {
  const world = await startWorld({ open, clients: [writer], registry });
  const individuals = {
    ...program,
    identifier: [{ system: "urn:service:program", value: "old-age" }],
    targetType: "individual",
  };
  const ended = {
    ...program,
    identifier: [{ system: "urn:service:program", value: "ended" }],
    period: { start: "2020-01-01", end: "2020-12-31" },
  };
  await seed(world, [
    person("1"),
    household("g", []),
    household("h", []),
    household("gone", [], { active: false }),
    program,
    individuals,
    ended,
  ]);
  return world;
}

describe.each(stores)("the states of an enrollment on %s", (_name, open) => {
  const pairs = statuses.flatMap((from) =>
    statuses.map((to) => ({ from, to, allowed: from === to || moves[from].includes(to) })),
  );

  it.each(pairs)("$from to $to: allowed $allowed", async ({ from, to, allowed }) => {
    const world = await start(open);
    const [first = "", ...rest] = ways[from];
    expect((await world.post("writer", "/ProgramMembership", enrollment(first))).status).toBe(201);
    for (const status of rest) {
      expect((await world.change("writer", "PUT", path, enrollment(status))).status).toBe(200);
    }
    const { status, body } = await world.change("writer", "PUT", path, enrollment(to));
    if (allowed) {
      expect([status, body.status]).toEqual([200, to]);
      return;
    }
    const [error] = body.errors;
    expect([status, error.code, error.field]).toEqual([422, "invalid_transition", "/status"]);
    for (const named of [from, to, ...moves[from]]) expect(error.message).toContain(named);
    expect((await world.get("writer", path)).body.status).toBe(from);
  });

  it.each(statuses)("one may be created in %s only when it is draft or enrolled", async (status) => {
    const world = await start(open);
    const answer = await world.post("writer", "/ProgramMembership", enrollment(status));
    const allowed = status === "draft" || status === "enrolled";
    expect(answer.status).toBe(allowed ? 201 : 422);
    if (!allowed) expect(answer.body.errors[0].code).toBe("invalid_transition");
  });

  it("a status that is none is refused", async () => {
    const world = await start(open);
    const { status, body } = await world.post("writer", "/ProgramMembership", enrollment("active"));
    expect([status, body.errors[0].field]).toEqual([422, "/status"]);
  });
});

describe.each(stores)("enrollments on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await start(open);
  });
  const enroll = (body: unknown) => world.post("writer", "/ProgramMembership", body);

  it("get an identifier from the server when they bring none", async () => {
    const { identifier: _, ...bare } = enrollment("draft");
    const { status, body } = await enroll(bare);
    expect(status).toBe(201);
    expect(body.identifier).toEqual([
      {
        system: "urn:service:program-membership",
        value: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      },
    ]);
  });

  it("keep today's dates where none are given", async () => {
    expect((await enroll(enrollment("draft"))).body).not.toHaveProperty("enrollmentDate");
    const entered = await world.change("writer", "PUT", path, enrollment("enrolled"));
    expect(entered.body.enrollmentDate).toBe("2026-03-01");
    world.clock.now = new Date("2026-03-05T08:00:00Z");
    const left = await world.change(
      "writer",
      "PUT",
      path,
      enrollment("exited", { enrollmentDate: "2026-03-01" }),
    );
    expect(left.body.exitDate).toBe("2026-03-05");
  });

  it("keep the dates that are given", async () => {
    const dates = { enrollmentDate: "2026-01-05" };
    expect((await enroll(enrollment("enrolled", dates))).body.enrollmentDate).toBe("2026-01-05");
    const left = await world.change(
      "writer",
      "PUT",
      path,
      enrollment("exited", { ...dates, exitDate: "2026-02-01" }),
    );
    expect(left.body).toMatchObject({ exitDate: "2026-02-01", exitReason: "moved away" });
  });

  it("are drafts when they bring no status", async () => {
    const { status: _, ...bare } = enrollment("draft");
    const made = await enroll(bare);
    expect([made.status, made.body.status]).toEqual([201, "draft"]);
  });

  it.each<[string, string, Record<string, unknown>, readonly string[]]>([
    ["drafts", "draft", { exitDate: "2026-02-01", exitReason: "moved" }, ["/exitDate", "/exitReason"]],
    ["enrolled", "enrolled", { exitDate: "2026-04-01" }, ["/exitDate"]],
    ["enrolled in a century", "enrolled", { enrollmentDate: "2126-03-01" }, ["/enrollmentDate"]],
  ])("that are %s and say what can't be are refused", async (_case, status, more, fields) => {
    const answer = await enroll(enrollment(status, more));
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it("say that there was no exit, and may begin tomorrow", async () => {
    const ahead = { enrollmentDate: "2026-03-02", exitDate: null, exitReason: null };
    const { status, body } = await enroll(enrollment("enrolled", ahead));
    expect([status, body.enrollmentDate]).toEqual([201, "2026-03-02"]);
  });

  it.each([
    ["enrolled", "2020-12-31", [["/program", "program_ended"]]],
    [
      "enrolled",
      "2021-01-01",
      [
        ["/enrollmentDate", "program_ended"],
        ["/program", "program_ended"],
      ],
    ],
  ])("in a program that has ended are refused, %s on %s", async (status, enrollmentDate, faults) => {
    const of = { program: { reference: "Program/urn:service:program|ended" }, enrollmentDate };
    const answer = await enroll(enrollment(status, of));
    const told = answer.body.errors.map(({ field, code }: Record<string, string>) => [field, code]);
    expect([answer.status, told.toSorted()]).toEqual([422, faults]);
  });

  it("begin on a day of their program, also when the day is changed", async () => {
    world.clock.now = new Date("2026-05-31T08:00:00Z");
    const season = {
      ...program,
      identifier: [{ system: "urn:service:program", value: "season" }],
      period: { start: "2026-01-01", end: "2026-05-31" },
    };
    await seed(world, [season]);
    const on = (status: string, enrollmentDate: string) =>
      enrollment(status, { program: { reference: "Program/urn:service:program|season" }, enrollmentDate });
    for (const status of ["draft", "enrolled"]) {
      const refused = await enroll(on(status, "2026-06-01"));
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [
          {
            field: "/enrollmentDate",
            code: "program_ended",
            message:
              "must not be after the program's last day, 2026-05-31; give an earlier day, or have the program extended",
          },
        ],
      ]);
    }
    expect((await enroll(on("enrolled", "2026-05-31"))).status).toBe(201);
    const moved = await world.change("writer", "PUT", path, on("enrolled", "2026-06-01"));
    expect([moved.status, moved.body.errors[0].field]).toEqual([422, "/enrollmentDate"]);
    const shorter = { period: { end: "2026-04-30" } };
    const { programs } = world.registry.as(operator);
    unwrap(await programs.patch("urn:service:program|season", shorter, { ifMatch: "*" }));
    expect((await world.change("writer", "PUT", path, on("paused", "2026-05-31"))).status).toBe(200);
  });

  it("end no earlier than they began", async () => {
    await enroll(enrollment("enrolled", { enrollmentDate: "2026-02-05" }));
    const body = enrollment("exited", { enrollmentDate: "2026-02-05", exitDate: "2026-02-04" });
    const answer = await world.change("writer", "PUT", path, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "/exitDate"]);
  });

  it.each([
    ["no reason", undefined, 422],
    ["an empty reason", "", 422],
    ["a reason", "graduated", 200],
    ["a reason of 255 characters", "x".repeat(255), 200],
    ["a reason of 256 characters", "x".repeat(256), 422],
  ])("exit with %s", async (_case, exitReason, expected) => {
    await enroll(enrollment("enrolled"));
    const { exitReason: _given, ...body } = enrollment("exited");
    const answer = await world.change("writer", "PUT", path, {
      ...body,
      ...(exitReason === undefined ? {} : { exitReason }),
    });
    expect(answer.status).toBe(expected);
    if (expected === 422) expect(answer.body.errors[0].field).toBe("/exitReason");
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["a program unknown", { program: { reference: "Program/urn:x|1" } }, "/program"],
    ["a program that is a group", { program: { reference: "Group/urn:service:group|g" } }, "/program"],
    ["a program that has ended", { program: { reference: "Program/urn:service:program|ended" } }, "/program"],
    [
      "a program for individuals",
      { program: { reference: "Program/urn:service:program|old-age" } },
      "/beneficiary",
    ],
    ["a beneficiary unknown", { beneficiary: { reference: "Group/urn:x|1" } }, "/beneficiary"],
    [
      "a beneficiary of the other kind",
      { beneficiary: { reference: "Individual/urn:gov:ph:nid|1" } },
      "/beneficiary",
    ],
    [
      "an archived beneficiary",
      { beneficiary: { reference: "Group/urn:service:group|gone" } },
      "/beneficiary",
    ],
  ];
  it.each(wrong)("of %s are refused, and nothing is written", async (_case, more, field) => {
    const { status, body } = await enroll(enrollment("enrolled", more));
    expect(status).toBe(422);
    expect(body.errors.some((error: { field: string }) => error.field.startsWith(field))).toBe(true);
    expect((await world.get("writer", "/ProgramMembership")).body.data).toEqual([]);
  });

  it("of one beneficiary in one program are one, in whatever state", async () => {
    await enroll(enrollment("draft"));
    const again = await enroll(enrollment("enrolled", { identifier: [{ system: "urn:m", value: "2" }] }));
    expect([again.status, again.body.type, again.body.existing]).toEqual([
      409,
      "urn:service:error:duplicate",
      "ProgramMembership/urn:m|1",
    ]);
  });

  it.each([
    ["program", { program: { reference: "Program/urn:service:program|ended" } }],
    ["beneficiary", { beneficiary: { reference: "Group/urn:service:group|h" } }],
  ])("never change their %s", async (field, more) => {
    await enroll(enrollment("draft"));
    const { status, body } = await world.change("writer", "PUT", path, enrollment("draft", more));
    expect(status).toBe(422);
    expect(body.errors.some((error: { field: string }) => error.field.startsWith(`/${field}`))).toBe(true);
  });

  it("have no PATCH", async () => {
    expect((await world.change("writer", "PATCH", path, { status: "enrolled" })).status).toBe(405);
  });
});

describe.each(stores)("the eligibility hook on %s", (_name, open) => {
  const eligibility = (_program: unknown, { name }: { readonly name?: unknown }) =>
    name === "Rich" ? { eligible: false, reasons: ["The income is above the limit."] } : { eligible: true };

  it("decides who enters enrolled, and its reasons are told", async () => {
    const world = await start(open, { eligibility });
    unwrap(await world.view.groups.create(household("rich", [], { name: "Rich" })));
    const rich = { beneficiary: { reference: "Group/urn:service:group|rich" } };
    const refused = await world.post("writer", "/ProgramMembership", enrollment("enrolled", rich));
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining("The income is above the limit."),
    ]);
    expect((await world.post("writer", "/ProgramMembership", enrollment("draft", rich))).status).toBe(201);
    expect((await world.change("writer", "PUT", path, enrollment("enrolled", rich))).status).toBe(422);
    expect((await world.get("writer", path)).body.status).toBe("draft");
  });

  it("lets everybody else pass", async () => {
    const world = await start(open, { eligibility });
    expect((await world.post("writer", "/ProgramMembership", enrollment("enrolled"))).status).toBe(201);
  });
});
