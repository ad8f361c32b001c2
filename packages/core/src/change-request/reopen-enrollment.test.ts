import { expect, it } from "vitest";
import { type Outcome, unwrap } from "../problem.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller, RegistryConfig, RegistryView } from "../registry/types.ts";
import { bound, fieldsOf, open } from "./test-world.ts";

const own = (value: string) => [{ system: "urn:n", value }];
const ask = {
  type: "reopen_enrollment",
  data: { membership: { reference: "ProgramMembership/urn:n|stay" } },
};
const left = { status: "exited", exitReason: "moved away" };
const anyVersion = { ifMatch: "*" } as const;

/** An enrollment of Ana in a program, in some status. */
async function world(status: string, config: Partial<RegistryConfig> = {}) {
  const { registry, view } = open({ config });
  unwrap(
    await view.individuals.create({ type: "Individual", identifier: own("ana"), name: { family: "A" } }),
  );
  const program = { type: "Program", identifier: own("cash"), name: "Cash", targetType: "individual" };
  unwrap(await view.programs.create(program));
  const stay = {
    type: "ProgramMembership",
    identifier: own("stay"),
    program: { reference: "Program/urn:n|cash" },
    beneficiary: { reference: "Individual/urn:n|ana" },
    status: "enrolled",
  };
  unwrap(await view.memberships.create(stay));
  if (status === "exited") unwrap(await view.memberships.patch("urn:n|stay", left, anyVersion));
  return { registry, view, requests: view.changeRequests };
}

async function approved({ requests }: Awaited<ReturnType<typeof world>>): Promise<string> {
  const id = unwrap(await requests.submit(ask)).record.ext_id;
  unwrap(await requests.approve(id));
  return id;
}

function saidOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? "" : (outcome.problem.errors ?? []).map(({ message }) => message).join();
}

it.each<[string, { patch: (view: RegistryView) => Promise<Outcome<unknown>>; said: string }]>([
  [
    "an archived beneficiary",
    {
      patch: ({ individuals }) => individuals.patch("urn:n|ana", { active: false }, anyVersion),
      said: "archived; reactivate",
    },
  ],
  [
    "a program that has ended",
    {
      patch: ({ programs }) => programs.patch("urn:n|cash", { period: { end: "2026-02-01" } }, anyVersion),
      said: "has ended",
    },
  ],
])("does not enroll anew with %s", async (_name, { patch, said }) => {
  const there = await world("exited");
  const id = await approved(there);
  unwrap(await patch(there.view));
  for (const refused of [await there.requests.apply(id), await there.requests.submit(ask)]) {
    expect(fieldsOf(refused)).toEqual(["/data/membership"]);
    expect(saidOf(refused)).toContain(said);
  }
  expect(unwrap(await there.view.memberships.read("urn:n|stay")).status).toBe("exited");
});

it("asks whether the beneficiary is eligible, and enrolls nobody who is not", async () => {
  let eligible = true;
  const there = await world("exited", { eligibility: () => ({ eligible, reasons: ["owns too much land"] }) });
  const id = await approved(there);
  eligible = false;
  const refused = await there.requests.apply(id);
  expect([fieldsOf(refused), saidOf(refused)]).toEqual([["/data/membership"], "owns too much land"]);
  expect(unwrap(await there.view.memberships.read("urn:n|stay")).status).toBe("exited");
  eligible = true;
  unwrap(await there.requests.apply(id));
  expect(unwrap(await there.view.memberships.read("urn:n|stay"))).toMatchObject({
    status: "enrolled",
    enrollmentDate: "2026-11-21",
  });
});

it("tells nothing of an enrollment to a token that does not open enrollments", async () => {
  const scopes = ["registry:read", "registry:write"];
  const answers = await Promise.all(
    ["enrolled", "exited", "not there"].map(async (status) => {
      const { registry, requests } = await world(status);
      const { membership } = ask.data;
      const reference = status === "not there" ? "ProgramMembership/urn:n|none" : membership.reference;
      const narrow = registry.as({ ...operator, clientId: "narrow", scopes }).changeRequests;
      const body = { ...ask, data: { membership: { reference } } };
      const kept = status === "exited" ? unwrap(await requests.submit({ ...body, draft: true })) : undefined;
      const id = kept?.record.ext_id ?? "";
      const later = kept ? [await narrow.replace(id, { data: body.data }), await narrow.submitDraft(id)] : [];
      return [await narrow.submit(body), ...later];
    }),
  );
  for (const answer of answers.flat()) {
    expect(answer).toMatchObject({
      ok: false,
      problem: { kind: "authorization", missingScope: "program:read" },
    });
  }
});

it("asks for program:read before it looks at the enrollment when it is applied", async () => {
  const there = await world("exited");
  const id = await approved(there);
  unwrap(await there.view.individuals.patch("urn:n|ana", { active: false }, anyVersion));
  const scopes = ["registry:read", "registry:write"];
  const narrow = there.registry.as({ ...operator, scopes }).changeRequests;
  expect(await narrow.apply(id)).toMatchObject({ problem: { missingScope: "program:read" } });
  const reader = there.registry.as({ ...operator, scopes: [...scopes, "program:read"] }).changeRequests;
  expect(await reader.apply(id)).toMatchObject({ problem: { missingScope: "program:write" } });
});

it.each<[string, Caller, Partial<RegistryConfig>]>([
  [
    "consents, where records without one show their identifiers",
    bound,
    { policies: { withoutConsent: "identifiers" } },
  ],
  ["fields of its own", { ...operator, clientId: "bank", fields: ["beneficiary", "program"] }, {}],
])("does not tell the status to a caller limited by %s", async (_name, caller, config) => {
  const answers = await Promise.all(
    ["enrolled", "exited"].map(async (status) => {
      const { registry } = await world(status, config);
      return registry.as(caller).changeRequests.submit(ask);
    }),
  );
  expect(answers[0]).toMatchObject({ ok: false, problem: { kind: "authorization" } });
  expect(fieldsOf(answers[0] as Outcome<unknown>)).toEqual(["/data/membership"]);
  expect(answers[1]).toEqual(answers[0]);
});
