import { expect, it } from "vitest";
import { createTestRegistry } from "../testing/test-registry.ts";

const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system: "urn:gov:id", value }],
  name: { family: "Reyes" },
});

it("says to a caller whom consents bind, too, that a reference is no address, whether or not there is such a record", async () => {
  const { view, as } = createTestRegistry();
  await view.individuals.create(person("1"));
  const bound = as({ organization: "Hope", legalBasis: "consent" });
  for (const id of ["1", "2"]) {
    expect(await bound.individuals.read(`Individual/urn:gov:id|${id}`)).toEqual({
      ok: false,
      problem: {
        kind: "authorization",
        detail:
          `What is asked for is an address, such as urn:gov:id|${id}, and not a reference with the type in front. ` +
          `No consent in force lets you see Individual/Individual/urn:gov:id|${id}, or there is no such record.`,
      },
    });
  }
});
