import { operator, unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { enrollment, id } from "./bundle-world.ts";
import { addProgram, household, person, program, type Service, startService, stores } from "./fixture.ts";

// The clock of the service stands at 2026-03-01T08:00:00Z.
const tomorrow = "2026-03-02";
const later = "2026-03-03";

describe.each(stores)("what begins in the future, on %s", (_name, open) => {
  let service: Service;
  const post = (path: string, body: unknown) => service.call({ method: "POST", path, body });
  const member = (start: string) => ({ entity: { reference: id("1") }, period: { start } });

  beforeEach(async () => {
    service = await startService({ open });
    await addProgram(service.registry);
    await post("/Individual", person("1"));
    await post("/Group", household("a", []));
  });

  const doors: readonly (readonly [string, (start: string) => ReturnType<typeof post>, string])[] = [
    [
      "a member of a new group",
      (start) => post("/Group", household("b", [], { member: [member(start)] })),
      "/member/0/period/start",
    ],
    [
      "a member who is added",
      (start) => post("/Group/urn:service:group|a/$add-member", member(start)),
      "/period/start",
    ],
    [
      "an enrollment",
      (start) =>
        post(
          "/ProgramMembership",
          enrollment("Group/urn:service:group|a", { status: "enrolled", enrollmentDate: start }),
        ),
      "/enrollmentDate",
    ],
  ];
  it.each(doors)("refuses %s, and takes the day after today", async (_what, begin, field) => {
    const { status, body } = await begin(later);
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          field,
          code: "future_date",
          message: `must not be after tomorrow, ${tomorrow}; check the clock of the device`,
        },
      ],
    ]);
    expect((await begin(tomorrow)).status).toBe(201);
  });

  it("lets a day that is stored already be", async () => {
    const path = "/Group/urn:service:group|b";
    service.clock.now = new Date("2027-03-01T08:00:00Z");
    const group = household("b", [], { member: [member("2027-03-01")] });
    unwrap(await service.registry.as(operator).groups.create(group));
    service.clock.now = new Date("2026-03-01T08:00:00Z");
    const patch = (body: unknown) =>
      service.call({ method: "PATCH", path, body, headers: { "If-Match": "*" } });
    expect((await patch({ name: "New" })).status).toBe(200);
    expect((await patch({ member: [member("2027-03-02")] })).status).toBe(422);
    expect((await patch({ member: [member("2026-03-01")] })).status).toBe(200);
  });

  it("takes periods that are meant for the future", async () => {
    const view = service.registry.as(operator);
    const period = { start: "2030-01-01", end: "2030-12-31" };
    const identifier = [{ system: "urn:service:program", value: "next" }];
    unwrap(await view.programs.create({ ...program, identifier, period }));
    const card = [{ system: "urn:gov:ph:nid", value: "2", period: { start: "2030-01-01" } }];
    expect((await post("/Individual", person("2", { identifier: card }))).status).toBe(201);
    unwrap(
      await view.consents.grant({
        subject: { reference: id("1") },
        grantee: { organization: "Aid" },
        scope: [{ resourceType: "all", fieldAccess: "all" }],
        effectiveDate: "2030-01-01",
      }),
    );
    unwrap(
      await view.cycles.create({
        program: "Program/urn:service:program|next",
        name: "First",
        sequence: 1,
        start_date: "2030-01-01",
        end_date: "2030-03-31",
      }),
    );
  });
});
