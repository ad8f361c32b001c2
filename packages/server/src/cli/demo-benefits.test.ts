import { createMemoryStore, operator } from "@fieldroll/core";
import { demoBenefits, demoRecords } from "@fieldroll/core/demo";
import { expect, it } from "vitest";
import { demoPartner } from "./demo.ts";
import { loadDemoBenefits } from "./demo-benefits.ts";
import { loadDemo } from "./demo-load.ts";
import { openRegistry } from "./registry.ts";

const today = new Date().toISOString().slice(0, 10);
const records = [...demoRecords({ today, households: 60 })];
const benefits = demoBenefits(records, { today, partner: demoPartner });

async function loaded() {
  const store = createMemoryStore();
  const destination = { store, registry: openRegistry(store) };
  await loadDemo(destination.registry, { records, onProgress: () => {} });
  await loadDemoBenefits(destination, records, benefits);
  return destination;
}

it("shows the partner what people have consented to, and no more", async () => {
  const { registry } = await loaded();
  const { organization, organizationType } = demoPartner;
  const scopes = ["registry:read"];
  const purpose = "service_delivery";
  const ngo = registry.as({ clientId: "ngo", scopes, organization, organizationType, purpose });
  const [groups, people] = await Promise.all([ngo.groups.search(), ngo.individuals.search()]);
  expect(groups.ok && groups.value.data).toHaveLength(1);
  const seen = people.ok ? people.value.data : [];
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.length).toBeLessThan(15);
  expect(new Set(seen.map((person) => "birthDate" in person))).toEqual(new Set([true, false]));
});

it("has entitlements to approve, and a fund", async () => {
  const { registry } = await loaded();
  const entitlements = await registry.as(operator).entitlements.list();
  expect(entitlements.ok && entitlements.value.data).toHaveLength(5);
});

it("leaves what has changed since as it is", async () => {
  const destination = await loaded();
  const { consents } = destination.registry.as(operator);
  const id = String(benefits.consents[0]?.id);
  await consents.revoke(id);
  await loadDemoBenefits(destination, records, benefits);
  const read = await consents.read(id);
  expect(read.ok && read.value.status).toBe("withdrawn");
});

it("adds nothing to a registry that is not the demonstration's", async () => {
  const store = createMemoryStore();
  await loadDemoBenefits({ store, registry: openRegistry(store) }, records, benefits);
  expect((await store.query({ collection: "cycle", limit: 1 })).documents).toEqual([]);
});
