import { operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { registrations, type Service, startService, stores } from "./fixture.ts";

const desk = {
  id: "desk",
  secret: "desk-secret",
  scopes: ["registry:read", "registry:write"],
  legalBasis: "public_task",
};
const clients = [...registrations, desk];

const own = (value: string) => [{ system: "urn:n", value }];
const person = (value: string) => `Individual/urn:n|${value}`;
const anyVersion = { "If-Match": "*" };

type Calls = Pick<Service, "call">;

async function people({ call }: Calls, ...values: readonly string[]) {
  for (const value of values) {
    const body = { type: "Individual", identifier: own(value), name: { family: value } };
    expect((await call({ method: "POST", path: "/Individual", body })).status).toBe(201);
  }
}

async function rename({ call }: Calls, from: string, to: string) {
  const body = { identifier: own(to) };
  const patch = { method: "PATCH", path: `/Individual/urn:n|${from}`, body, headers: anyVersion };
  expect((await call(patch)).status).toBe(200);
}

function grantTo(value: string) {
  const data = {
    subject: { reference: person(value) },
    grantee: { organization: "Aid" },
    scope: [{ resourceType: "all", fieldAccess: "all" }],
  };
  return { type: "grant_consent", data };
}

async function approved({ call }: Calls, body: object): Promise<string> {
  const { ext_id } = (await call({ method: "POST", path: "/change_request", body })).body.data;
  const answer = await call({ method: "POST", path: `/change_request/${ext_id}/$approve` });
  expect(answer.status).toBe(200);
  return `/change_request/${ext_id}`;
}

/** Ana's enrollment, in some status; left means exited. */
async function enroll({ call, registry }: Service, status: "enrolled" | "exited") {
  const program = { type: "Program", identifier: own("cash"), name: "Cash", targetType: "individual" };
  unwrap(await registry.as(operator).programs.create(program));
  const body = {
    type: "ProgramMembership",
    identifier: own("stay"),
    program: { reference: "Program/urn:n|cash" },
    beneficiary: { reference: person("ana") },
    status: "enrolled",
  };
  expect((await call({ method: "POST", path: "/ProgramMembership", body })).status).toBe(201);
  if (status === "enrolled") return;
  const left = { ...body, status, exitReason: "moved away" };
  const put = { method: "PUT", path: "/ProgramMembership/urn:n|stay", body: left, headers: anyVersion };
  expect((await call(put)).status).toBe(200);
}

const reopen = (value: string) => ({
  type: "reopen_enrollment",
  data: { membership: { reference: `ProgramMembership/urn:n|${value}` } },
});

describe.each(stores)("what change requests refer to, over %s,", (_store, open) => {
  it("is who was meant when they were submitted, also when somebody else has the name by now", async () => {
    const service = await startService({ open });
    await people(service, "ana", "ben");
    const path = await approved(service, grantTo("ana"));
    await rename(service, "ana", "ana-2");
    await rename(service, "ben", "ana");
    const shown = (await service.call({ path })).body.data;
    expect(shown.data.subject.reference).toBe(person("ana-2"));
    const applied = await service.call({ method: "POST", path: `${path}/$apply` });
    expect([applied.status, applied.body.data.data.subject.reference]).toEqual([200, person("ana-2")]);
    const seen = async (value: string) =>
      (await service.call({ path: `/Individual/urn:n|${value}`, as: "ngo" })).status;
    expect([await seen("ana-2"), await seen("ana")]).toEqual([200, 403]);
  });

  it("is refused with what to do when it was archived in the meantime", async () => {
    const service = await startService({ open });
    await people(service, "ana");
    const path = await approved(service, grantTo("ana"));
    const archive = { method: "PATCH", path: "/Individual/urn:n|ana", headers: anyVersion };
    await service.call({ ...archive, body: { active: false } });
    const apply = { method: "POST", path: `${path}/$apply` };
    const refused = await service.call(apply);
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ field: "/data/subject/reference", code: "archived" }] },
    });
    expect(refused.body.detail).toContain("reactivate");
    await service.call({ ...archive, body: { active: true } });
    expect((await service.call(apply)).status).toBe(200);
  });

  it("is not told to a token that does not open it", async () => {
    const answers = [];
    for (const status of ["enrolled", "exited"] as const) {
      const service = await startService({ open, registrations: clients });
      await people(service, "ana");
      await enroll(service, status);
      const submit = { method: "POST", path: "/change_request", as: "desk" };
      answers.push(await service.call({ ...submit, body: reopen("stay") }));
      answers.push(await service.call({ ...submit, body: reopen("nobody's") }));
    }
    for (const { status, body } of answers) {
      expect([status, body.missing_scope]).toEqual([403, "program:read"]);
    }
  });

  it("is enrolled anew by the rules of every enrollment", async () => {
    let eligible = false;
    const reasons = ["owns too much land"];
    const service = await startService({ open, registry: { eligibility: () => ({ eligible, reasons }) } });
    const archive = (active: boolean) =>
      service.call({ method: "PATCH", path: "/Individual/urn:n|ana", body: { active }, headers: anyVersion });
    await people(service, "ana");
    eligible = true;
    await enroll(service, "exited");
    eligible = false;
    const path = await approved(service, reopen("stay"));
    const apply = () => service.call({ method: "POST", path: `${path}/$apply` });
    const poor = await apply();
    expect([poor.status, poor.body.errors[0].code]).toEqual([422, "not_eligible"]);
    eligible = true;
    await archive(false);
    const gone = await apply();
    expect([gone.status, gone.body.errors[0].code]).toEqual([422, "archived"]);
    expect((await service.call({ path: "/ProgramMembership/urn:n|stay" })).body.status).toBe("exited");
    await archive(true);
    expect((await apply()).status).toBe(200);
    expect((await service.call({ path: "/ProgramMembership/urn:n|stay" })).body.status).toBe("enrolled");
  });
});
