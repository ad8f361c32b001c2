import { unwrap } from "@fieldroll/core";
import { arbitraryIndividual, createTestRegistry } from "@fieldroll/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paymentList } from "./payment-list.ts";

const grant = {
  type: "Program",
  identifier: [{ system: "urn:example:program", value: "grant" }],
  name: "Elders' grant",
  targetType: "individual",
};
const program = "Program/urn:example:program|grant";

describe("paymentList", () => {
  it("holds whoever is enrolled, and nobody who left", async () => {
    const { view, advance } = createTestRegistry();
    await view.programs.create(grant);
    for (const value of ["1", "2", "3"]) {
      const name = { given: `Person ${value}` };
      await view.individuals.create({
        type: "Individual",
        identifier: [{ system: "urn:example:id", value }],
        name,
      });
      const beneficiary = { reference: `Individual/urn:example:id|${value}` };
      await view.memberships.create({
        type: "ProgramMembership",
        program: { reference: program },
        beneficiary,
        status: "enrolled",
      });
    }
    advance({ days: 30 });
    const [left] = unwrap(await view.memberships.search({ beneficiary: "Individual/urn:example:id|2" })).data;
    const address = left?.identifier[0] ?? { system: "", value: "" };
    const exit = { status: "exited", exitReason: "moved away" };
    unwrap(await view.memberships.patch(address, exit, { ifMatch: "*" }));
    expect(unwrap(await paymentList(view, program))).toEqual([
      { beneficiary: "Individual/urn:example:id|1", since: "2026-01-01" },
      { beneficiary: "Individual/urn:example:id|3", since: "2026-01-01" },
    ]);
  });

  it("finds every generated person that the registry accepted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryIndividual, { minLength: 1, maxLength: 60 }), async (people) => {
        const { view } = createTestRegistry({ startAt: "2026-06-01T00:00:00.000Z" });
        await view.programs.create(grant);
        const accepted = [];
        for (const person of people) {
          const created = await view.individuals.create({ ...person, active: true });
          if (created.ok) accepted.push(created.value.reference);
        }
        for (const reference of accepted) {
          const body = {
            type: "ProgramMembership",
            program: { reference: program },
            beneficiary: { reference },
          };
          unwrap(await view.memberships.create({ ...body, status: "enrolled" }));
        }
        const listed = unwrap(await paymentList(view, program)).map(({ beneficiary }) => beneficiary);
        expect([...listed].sort()).toEqual([...accepted].sort());
      }),
      { numRuns: 20 },
    );
  });

  it("passes a refusal on", async () => {
    const { as } = createTestRegistry();
    expect(await paymentList(as({ scopes: ["registry:read"] }), program)).toMatchObject({
      problem: { kind: "authorization", missingScope: "program:read" },
    });
  });
});
