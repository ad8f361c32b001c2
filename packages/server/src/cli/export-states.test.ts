import {
  type CycleState,
  type EntitlementState,
  type JsonObject,
  operator,
  type RegistryView,
  unwrap,
} from "@fieldroll/core";
import { createTestRegistry, type TestRegistry } from "@fieldroll/core/testing";
import { expect, it } from "vitest";
import { exportLines } from "./export.ts";
import { importInto } from "./test-support/doors.ts";

const one = (system: string, value: string) => [{ system, value }];
const ref = (reference: string) => ({ reference });

/** By which moves each state of an enrollment is come to. */
const stays: Readonly<Record<string, readonly JsonObject[]>> = {
  draft: [],
  enrolled: [{ status: "enrolled" }],
  paused: [{ status: "enrolled" }, { status: "paused" }],
  exited: [{ status: "enrolled" }, { status: "exited", exitReason: "moved" }],
  not_eligible: [{ status: "not_eligible" }],
  duplicated: [{ status: "enrolled" }, { status: "duplicated" }],
};
const consents = {
  given: [],
  renewed: ["renewed"],
  expired: ["expired"],
  withdrawn: ["withdrawn"],
  invalidated: ["invalidated"],
} as const;
const cycles: Readonly<Record<string, readonly CycleState[]>> = {
  draft: [],
  to_approve: ["to_approve"],
  approved: ["to_approve", "approved"],
  distributed: ["to_approve", "approved", "distributed"],
  ended: ["to_approve", "approved", "distributed", "ended"],
  cancelled: ["cancelled"],
};
const entitlements: Readonly<Record<string, readonly EntitlementState[]>> = {
  draft: [],
  pending_validation: ["pending_validation"],
  rejected: ["pending_validation", "rejected"],
  approved: ["pending_validation", "approved"],
  transferred: ["pending_validation", "approved", "transferred"],
  redeemed: ["pending_validation", "approved", "transferred", "redeemed"],
  cancelled: ["pending_validation", "approved", "cancelled"],
  expired: ["pending_validation", "expired"],
};

async function people({ individuals, groups }: RegistryView): Promise<void> {
  const member = (id: string) => ({ entity: ref(`Individual/urn:p|${id}`) });
  for (const id of [...Object.keys(stays), "archived", "left"]) {
    const body = { type: "Individual", identifier: one("urn:p", id), name: { given: id } };
    unwrap(await individuals.create(body));
  }
  const home = { type: "Group", identifier: one("urn:g", "home"), groupType: "household", name: "Home" };
  unwrap(await groups.create({ ...home, member: ["draft", "archived", "left"].map(member) }));
  unwrap(await groups.removeMember("urn:g|home", member("left")));
  const split = {
    identifier: one("urn:g", "split"),
    name: "Split",
    members: [ref("Individual/urn:p|draft")],
  };
  unwrap(await groups.split("urn:g|home", split));
  unwrap(await groups.merge({ source: ref("Group/urn:g|split"), target: ref("Group/urn:g|home") }));
}

async function enrollments({ memberships, programs }: RegistryView): Promise<void> {
  const body = { type: "Program", identifier: one("urn:r", "1"), name: "Cash", targetType: "individual" };
  unwrap(await programs.create(body));
  for (const [id, moves] of Object.entries(stays)) {
    const own = { program: ref("Program/urn:r|1"), beneficiary: ref(`Individual/urn:p|${id}`) };
    const stay = { type: "ProgramMembership", identifier: one("urn:m", id), ...own };
    unwrap(await memberships.create({ ...stay, status: "draft" }));
    for (const move of moves)
      unwrap(await memberships.replace(`urn:m|${id}`, { ...stay, ...move }, { ifMatch: "*" }));
  }
}

async function benefits({ view, store }: TestRegistry): Promise<void> {
  const [program] = await store.resolve(["Program/urn:r|1"]);
  const program_ext_id = program?.key ?? "";
  unwrap(await view.programDesk.setFund(program_ext_id, { value: "90000.00", currency: "PHP" }));
  const [person] = await store.resolve(["Individual/urn:p|enrolled"]);
  const days = { start_date: "2026-01-01", end_date: "2026-12-31" };
  const made = await Promise.all(
    Object.keys(cycles).map(async (name, sequence) =>
      unwrap(await view.cycles.create({ program_ext_id, name, sequence, ...days })),
    ),
  );
  const amount = { value: "10.50", currency: "PHP" };
  for (const moves of Object.values(entitlements)) {
    const own = { cycle: made[0]?.ext_id, registrant_ext_id: person?.key, amount };
    const { ext_id } = unwrap(await view.entitlements.create({ ...own, ern: `E-${moves.join("-")}` }));
    for (const to of moves) unwrap(await view.entitlements.move(ext_id, to));
  }
  for (const { ext_id, name } of made)
    for (const to of cycles[name] ?? []) unwrap(await view.cycles.move(ext_id, to));
}

async function consentsOf({ consents: verbs }: RegistryView): Promise<void> {
  for (const moves of Object.values(consents)) {
    const subject = ref("Individual/urn:p|enrolled");
    const scope = [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name.given"] }];
    const { id } = unwrap(await verbs.grant({ subject, scope, grantee: { organizationType: "ngo" } }));
    for (const to of moves)
      unwrap(await verbs.move(id, to, to === "renewed" ? { expiryDate: "2027-01-01" } : {}));
  }
  for (const status of ["requested", "refused"]) {
    const id = `0190a000-0000-7000-8000-00000000000${status.length}`;
    const body = {
      subject: ref("Individual/urn:p|paused"),
      scope: [{ resourceType: "all", fieldAccess: "all" }],
    };
    unwrap(await verbs.grant({ ...body, grantee: { organization: "Aid" } }, { trusted: { id, status } }));
  }
}

async function requests({ changeRequests: verbs }: RegistryView): Promise<void> {
  const submit = async (more: object = {}) =>
    unwrap(
      await verbs.submit({
        type: "grant_consent",
        data: {
          subject: ref("Individual/urn:p|enrolled"),
          scope: [{ resourceType: "all", fieldAccess: "basic" }],
          grantee: { organization: "Aid" },
        },
        ...more,
      }),
    ).record.ext_id;
  await submit({ draft: true });
  await submit();
  unwrap(await verbs.approve(await submit()));
  unwrap(await verbs.reject(await submit(), { reason: "no form" }));
  unwrap(await verbs.revise(await submit(), { reason: "unreadable" }));
  const applied = await submit();
  unwrap(await verbs.approve(applied));
  unwrap(await verbs.apply(applied));
}

/** What makes sound states look like those that a write refuses: records that ended, were archived and renamed since. */
async function aged({ view, advance }: TestRegistry): Promise<void> {
  const any = { ifMatch: "*" } as const;
  advance({ days: 30 });
  unwrap(await view.programs.patch("urn:r|1", { period: { end: "2026-01-15" } }, any));
  for (const id of ["enrolled", "archived"])
    unwrap(await view.individuals.patch(`urn:p|${id}`, { active: false }, any));
  for (const id of ["left", "paused"])
    unwrap(await view.individuals.patch(`urn:p|${id}`, { identifier: one("urn:new", id) }, any));
  const stranger = { type: "Individual", identifier: one("urn:p", "left"), name: { given: "Stranger" } };
  unwrap(await view.individuals.create(stranger));
}

async function linesOf({ registry, store }: TestRegistry): Promise<readonly JsonObject[]> {
  const lines: JsonObject[] = [];
  for await (const line of exportLines({ registry, store })) lines.push(line);
  return lines;
}

it("an export of every kind in every state is imported whole, and exported the same", async () => {
  const first = createTestRegistry();
  await people(first.view);
  await enrollments(first.view);
  await benefits(first);
  await consentsOf(first.view);
  await requests(first.view);
  await aged(first);
  const lines = await linesOf(first);
  const states = lines.map(({ type, status, state, active }) => `${type} ${status ?? state ?? active}`);
  for (const [type, of] of [
    ["ProgramMembership", stays],
    ["Cycle", cycles],
    ["Entitlement", entitlements],
    ["Consent", { ...consents, requested: [], refused: [] }],
  ] as const) {
    for (const state of Object.keys(of)) expect(states).toContain(`${type} ${state}`);
  }
  const second = createTestRegistry({ startAt: "2026-01-31T08:00:00.000Z" });
  expect(await importInto(second, lines)).toEqual({ faults: [], words: "" });
  expect(await linesOf(second)).toEqual(lines);
  const third = await linesOf(second);
  expect(await importInto(second, third)).toEqual({ faults: [], words: "" });
  expect(await linesOf(second)).toEqual(lines);
});

it("a record that was imported may be sent back by PUT as it is", async () => {
  const first = createTestRegistry();
  await people(first.view);
  await enrollments(first.view);
  await aged(first);
  const second = createTestRegistry({ startAt: "2026-01-31T08:00:00.000Z" });
  await importInto(second, await linesOf(first));
  const view = second.registry.as(operator);
  for (const [verbs, ids] of [
    [view.memberships, Object.keys(stays).map((id) => `urn:m|${id}`)],
    [view.groups, ["urn:g|home", "urn:g|split"]],
  ] as const) {
    for (const id of ids) {
      const read = await verbs.read(id);
      const { meta, ...record } = read.ok ? read.value : { meta: undefined };
      const sent = await verbs.replace(id, record, { ifMatch: "*" });
      expect(sent, id).toMatchObject({ ok: true, value: { versionId: meta?.versionId } });
    }
  }
});
