import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { unwrap } from "../../problem.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import type { RegistryConfig } from "../types.ts";

const reference = "Individual/urn:gov:id|1";
const program = "Program/urn:service:program|cash";

function enrollment(status: string): JsonObject {
  return { type: "ProgramMembership", program: { reference: program }, beneficiary: { reference }, status };
}

async function open(eligibility: RegistryConfig["eligibility"]) {
  const test = createTestRegistry({ ...(eligibility && { eligibility }) });
  const { view } = test;
  unwrap(
    await view.individuals.create({
      type: "Individual",
      identifier: [{ system: "urn:gov:id", value: "1" }],
      name: { family: "Reyes", given: "Ana" },
    }),
  );
  unwrap(
    await view.programs.create({
      type: "Program",
      identifier: [{ system: "urn:service:program", value: "cash" }],
      name: "Cash",
      targetType: "individual",
    }),
  );
  return test;
}

const never = () => ({ eligible: false, reasons: ["earns too much", "lives elsewhere"] });

describe("the eligibility hook", () => {
  it("sees program and beneficiary as callers see them", async () => {
    const asked: unknown[] = [];
    const { view } = await open(async (...pair) => {
      asked.push(...pair);
      return { eligible: true };
    });
    unwrap(await view.memberships.create(enrollment("enrolled")));
    expect(asked).toEqual([
      unwrap(await view.programs.read("urn:service:program|cash")),
      unwrap(await view.individuals.read("urn:gov:id|1")),
    ]);
  });

  it("refuses with each reason at the beneficiary", async () => {
    const { view } = await open(never);
    const refused = await view.memberships.create(enrollment("enrolled"));
    expect(refused).toMatchObject({
      problem: {
        kind: "validation",
        errors: [
          { field: "/beneficiary", code: "not_eligible", message: "earns too much" },
          { field: "/beneficiary", code: "not_eligible", message: "lives elsewhere" },
        ],
      },
    });
    expect((await view.memberships.create(enrollment("draft"))).ok).toBe(true);
  });

  it("is asked when a draft becomes enrolled, and not before or after", async () => {
    let asked = 0;
    const { view } = await open(() => {
      asked += 1;
      return { eligible: true };
    });
    const { record } = unwrap(await view.memberships.create(enrollment("draft")));
    const address = `${record.identifier[0]?.system}|${record.identifier[0]?.value}`;
    expect(asked).toBe(0);
    unwrap(await view.memberships.patch(address, { status: "enrolled" }, { ifMatch: "*" }));
    expect(asked).toBe(1);
    unwrap(await view.memberships.patch(address, { enrollmentDate: "2025-12-01" }, { ifMatch: "*" }));
    unwrap(await view.memberships.patch(address, { status: "paused" }, { ifMatch: "*" }));
    expect(asked).toBe(1);
    unwrap(await view.memberships.patch(address, { status: "enrolled" }, { ifMatch: "*" }));
    expect(asked).toBe(2);
  });

  it("is not asked about an enrollment that is wrong otherwise", async () => {
    const { view } = await open(() => {
      throw new Error("asked");
    });
    unwrap(await view.programs.patch("urn:service:program|cash", { active: false }, { ifMatch: "*" }));
    expect(await view.memberships.create(enrollment("enrolled"))).toMatchObject({
      problem: { errors: [{ field: "/program", code: "program_ended" }] },
    });
  });

  it("sees a beneficiary of the same transaction", async () => {
    const { view } = await open(() => ({ eligible: true }));
    const body = {
      type: "Individual",
      identifier: [{ system: "urn:gov:id", value: "2" }],
      name: { family: "Cruz" },
    };
    const second = { ...enrollment("enrolled"), beneficiary: { reference: "Individual/urn:gov:id|2" } };
    unwrap(
      await view.transaction([
        { verb: "create", type: "ProgramMembership", body: second },
        { verb: "create", type: "Individual", body },
      ]),
    );
  });

  it("is not asked about trusted imports", async () => {
    const { view } = await open(never);
    const entry = { verb: "create", type: "ProgramMembership", body: enrollment("enrolled") } as const;
    expect((await view.transaction([entry], { trusted: true })).ok).toBe(true);
  });

  it.each<[string, RegistryConfig["eligibility"]]>([
    [
      "throws",
      () => {
        throw new Error("password of the ministry's database");
      },
    ],
    ["rejects", () => Promise.reject(new Error("password of the ministry's database"))],
  ])("tells nothing of its inside when it %s", async (_name, eligibility) => {
    const { view } = await open(eligibility);
    const answer = await view.memberships.create(enrollment("enrolled"));
    expect(answer).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    expect(JSON.stringify(answer)).not.toContain("password");
  });
});
