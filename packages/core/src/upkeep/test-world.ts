import { readAuditDocuments } from "../audit/document.ts";
import type { JsonObject } from "../json.ts";
import { unwrap } from "../problem.ts";
import type { RegistryConfig } from "../registry/types.ts";
import { farmer } from "../resource/extensions.ts";
import { pixel } from "../resource/photo.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store, StoredDocument } from "../store/port.ts";
import { createTestRegistry, testId } from "../testing/test-registry.ts";
import type { Finding } from "./finding.ts";
import { reindexRegistry } from "./reindex.ts";
import { verifyRegistry } from "./verify.ts";

const system = "urn:gov:id";
export const at = "2026-01-01T08:00:00.000Z";

/** A registry that has a document of every kind, and what to look after it with. */
export async function keptWorld(store: Store = createMemoryStore()) {
  const { view, registry, as, advance } = createTestRegistry({ store, startAt: at, extensions: [farmer] });
  for (const value of ["1", "2", "3"]) unwrap(await view.individuals.create(person(value), keyed(value)));
  await view.individuals.patch(`${system}|1`, { name: { given: "Ana" }, photo: pixel }, { ifMatch: "*" });
  const members = ["1", "2"].map((value) => ({ entity: { reference: `Individual/${system}|${value}` } }));
  unwrap(
    await view.groups.create({
      ...named("Group", "g"),
      groupType: "household",
      name: "Reyes",
      member: members,
    }),
  );
  unwrap(
    await view.programs.create({ ...named("Program", "p"), name: "Cash", targetType: "individual", period }),
  );
  unwrap(
    await view.memberships.create({
      ...named("ProgramMembership", "m"),
      ...enrollment("1"),
      status: "enrolled",
    }),
  );
  const consent = unwrap(await view.consents.grant({ ...terms, evidence: "a paper" }));
  unwrap(await view.consents.grant({ ...terms, subject: { reference: `Group/${system}|g` } }));
  await view.consents.remove(consent.id);
  unwrap(await view.groups.removeMember(`${system}|g`, { entity: { reference: `Individual/${system}|2` } }));
  const program = `Program/${system}|p`;
  const cycle = unwrap(
    await view.cycles.create({ program, name: "May", sequence: 1, ...days, state: "approved" }),
  );
  const benefit = { cycle: cycle.ext_id, beneficiary: `Individual/${system}|1`, amount, valid_from: null };
  unwrap(await view.entitlements.create({ ...benefit, valid_until: null, state: "approved" }));
  unwrap(await view.changeRequests.submit({ type: "add_farmer", data: { name: "Eva", farmer: {} } }));
  await registry.epoch();
  await store.commit({
    put: [...readAuditDocuments([readOf(`Individual/${testId(0, 1)}`)], () => testId(1, 1))],
  });
  const config: RegistryConfig = {
    store,
    clock: () => new Date("2026-01-02T08:00:00.000Z"),
    newId: () => testId(2, 1),
    extensions: [farmer],
  };
  const faults = async () => {
    const found: Finding[] = [];
    await verifyRegistry(config, { tell: (finding) => found.push(finding) });
    return found;
  };
  const mend = async () => {
    const found: Finding[] = [];
    return { ...(await reindexRegistry(config, { tell: (finding) => found.push(finding) })), found };
  };
  return { store, view, registry, as, advance, config, faults, mend };
}

/** Puts a document otherwise than a registry does. */
export async function damage(
  store: Store,
  collection: string,
  change: (document: StoredDocument) => Partial<StoredDocument>,
): Promise<StoredDocument> {
  const [document] = (await store.query({ collection, limit: 1 })).documents;
  if (!document) throw new Error(`The world has no ${collection}`);
  await store.commit({ put: [{ ...document, ...change(document) }] });
  return document;
}

function person(value: string): JsonObject {
  const address = [{ type: "physical", country: "KE", state: "Nairobi" }];
  return { ...named("Individual", value), name: { family: "Reyes", given: "Anna" }, address };
}

function named(type: string, value: string): JsonObject {
  return { type, identifier: [{ system, value }] };
}

function keyed(key: string) {
  return { idempotency: { key, fingerprint: key } };
}

function readOf(record: string) {
  return { at, action: "read", clientId: "office", records: [record], fields: ["name"] } as const;
}

const days = { start_date: "2026-05-01", end_date: "2026-05-31" };
const amount = { value: "10.00", currency: "KES" };
const period = { start: "2025-01-01" };

function enrollment(value: string): JsonObject {
  return {
    program: { reference: `Program/${system}|p` },
    beneficiary: { reference: `Individual/${system}|${value}` },
    enrollmentDate: "2026-01-01",
  };
}

const terms = {
  subject: { reference: `Individual/${system}|1` },
  grantee: { organization: "NGO" },
  scope: [{ resourceType: "all", fieldAccess: "all" }],
};
