import { expect, it } from "vitest";
import { unwrap } from "../problem.ts";
import { createTestRegistry, testId } from "../testing/test-registry.ts";
import { verifyRegistry } from "./verify.ts";

/** What verifying tells of a registry some days after it was made. */
async function faultsOf({ store }: Pick<ReturnType<typeof createTestRegistry>, "store">, days: number) {
  const told: unknown[] = [];
  let ids = 0;
  const clock = () => new Date(Date.UTC(2026, 0, 1, 8) + days * 86_400_000);
  await verifyRegistry(
    { store, clock, newId: () => testId(0, ++ids) },
    { tell: (finding) => told.push(finding) },
  );
  return told;
}

it("what is forgotten in several commits is no fault between two of them", async () => {
  const registry = createTestRegistry({ retention: { changes: 200 } });
  for (let nth = 0; nth < 450; nth++) {
    // Some at a time, as an import makes them.
    if (nth % 10 === 0) registry.advance({ milliseconds: 1 });
    const identifier = [{ system: "urn:a", value: String(nth) }];
    unwrap(
      await registry.view.individuals.create({ type: "Individual", identifier, name: { family: "Reyes" } }),
    );
  }
  registry.advance({ days: 300 });
  const told: unknown[][] = [];
  for (let forgotten = 1; forgotten > 0; ) {
    forgotten = await registry.registry.forgetOldEntries();
    told.push(await faultsOf(registry, 300));
  }
  expect(told).toEqual([[], [], [], []]);
});

it("that the evidence of a consent was erased is told for good, and is no fault where it went on and that is forgotten", async () => {
  const registry = createTestRegistry({ retention: { changes: 180 } });
  const { view, advance } = registry;
  const identifier = [{ system: "urn:a", value: "1" }];
  unwrap(await view.individuals.create({ type: "Individual", identifier, name: { family: "Reyes" } }));
  const terms = { subject: { reference: "Individual/urn:a|1" }, grantee: { organization: "Aid" } };
  const scope = [{ resourceType: "all", fieldAccess: "all" }] as const;
  const given = { ...terms, scope, evidence: "paper", expiryDate: "2026-02-01" };
  const { id } = unwrap(await view.consents.grant(given));
  advance({ days: 60 });
  unwrap(await view.consents.remove(id));
  advance({ days: 1 });
  unwrap(await view.consents.move(id, "renewed", { expiryDate: "2026-12-01" }));
  advance({ days: 1 });
  unwrap(await view.consents.revoke(id));
  expect(await faultsOf(registry, 62)).toEqual([]);
  advance({ days: 300 });
  for (let forgotten = 1; forgotten > 0; ) forgotten = await registry.registry.forgetOldEntries();
  expect(await faultsOf(registry, 362)).toEqual([]);
});
