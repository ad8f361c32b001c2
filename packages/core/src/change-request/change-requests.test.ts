import { describe, expect, it } from "vitest";
import * as z from "zod";
import { failure, success, unwrap } from "../problem.ts";
import { operator } from "../registry/scopes.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Commit, Store } from "../store/port.ts";
import { addFarmer, applied, bound, fieldsOf, nobody, open, submitted } from "./test-world.ts";
import type { ChangeRequestType } from "./types.ts";

describe("submitting", () => {
  it("keeps the request pending, and shows it to who submitted it", async () => {
    const { view } = open();
    const { record } = unwrap(await view.changeRequests.submit(addFarmer));
    const { ext_id } = record;
    expect(record).toEqual({
      ext_id,
      model: "service.change_request",
      type: "add_farmer",
      status: "pending",
      submitted_at: "2026-11-21T08:00:00.000Z",
      submitted_by: "operator",
      data: { birthdate: null, gender: null, ...addFarmer.data },
    });
    expect(unwrap(await view.changeRequests.read(ext_id))).toEqual(record);
  });

  it("keeps a draft when asked to", async () => {
    const { view } = open();
    const id = await submitted(view, { ...addFarmer, draft: true });
    expect(unwrap(await view.changeRequests.read(id)).status).toBe("draft");
    expect(unwrap(await view.changeRequests.submitDraft(id)).record.status).toBe("pending");
  });

  it.each<[string, object, readonly string[]]>([
    ["no type and no data", {}, ["/type", "/data"]],
    ["an unknown type", { type: "add_cow", data: {} }, ["/type"]],
    ["an unknown member", { ...addFarmer, ext_id: nobody }, ["/ext_id"]],
    ["data without what is required", { type: "add_farmer", data: {} }, ["/data/name", "/data/farmer"]],
    ["data with too much", { type: "add_farmer", data: { ...addFarmer.data, age: 3 } }, ["/data/age"]],
    [
      "data that the registry would refuse",
      { type: "add_farmer", data: { name: "A", birthdate: "2030-01-01", farmer: { farmSize: -1, cows: 2 } } },
      ["/data/birthdate", "/data/farmer/farmSize", "/data/farmer/cows"],
    ],
    [
      "an edit of nobody",
      { type: "edit_farmer", data: { registrant_ext_id: nobody, farmer: {} } },
      ["/data/registrant_ext_id"],
    ],
    [
      "a farm of nobody",
      { type: "create_farm", data: { registrant_ext_id: nobody, name: "Hill" } },
      ["/data/registrant_ext_id"],
    ],
    [
      "a farm with an undeclared extension",
      { type: "create_farm", data: { registrant_ext_id: nobody, name: "Hill", farm: { size: 1 } } },
      ["/data/farm"],
    ],
    [
      "a consent without terms",
      { type: "grant_consent", data: {} },
      ["/data/subject", "/data/grantee", "/data/scope"],
    ],
  ])("refuses %s", async (_name, body, fields) => {
    const { view } = open();
    const refused = await view.changeRequests.submit(body);
    expect(refused).toMatchObject({ ok: false, problem: { kind: "validation" } });
    expect(fieldsOf(refused).toSorted()).toEqual([...fields].toSorted());
  });

  it("says so where the extension farmer is not declared", async () => {
    const { view } = open({ extensions: [] });
    for (const body of [
      addFarmer,
      { type: "edit_farmer", data: { registrant_ext_id: nobody, farmer: {} } },
    ]) {
      expect(await view.changeRequests.submit(body)).toMatchObject({
        ok: false,
        problem: {
          errors: [
            {
              field: "/data/farmer",
              code: "unknown_extension",
              message: expect.stringContaining("not declared"),
            },
          ],
        },
      });
    }
  });
});

describe("the shipped types", () => {
  it("add a farmer, edit it, and give it a farm", async () => {
    const { view } = open();
    const { registrant_ext_id: id = "" } = await applied(view, addFarmer);
    const edit = { registrant_ext_id: id, farmer: { livestockCount: 3, farmSize: null } };
    const edited = await applied(view, { type: "edit_farmer", data: edit });
    expect(edited).toMatchObject({ status: "applied", registrant_ext_id: id });
    await applied(view, { type: "create_farm", data: { registrant_ext_id: id, name: "Hill" } });
    const farm = unwrap(await view.groups.search()).data[0];
    const farmId = farm?.identifier[0]?.value;
    const person = unwrap(
      await view.individuals.read(`urn:service:registrant|${id}`, { extensions: "farmer" }),
    );
    expect(person).toMatchObject({
      name: { text: "Ana Reyes" },
      groupMembership: [{ group: { reference: `Group/urn:service:group|${farmId}` }, role: {} }],
    });
    expect(person.extension?.farmer).toEqual({ url: "urn:service:extension:farmer", livestockCount: 3 });
    expect(farm).toMatchObject({
      groupType: "other",
      name: "Hill",
      member: [{ role: { coding: [{ code: "head" }] } }],
    });
  });

  it.each(["create_farm", "add_farmer"])("%s is not hindered by who knows its ext_id", async (type) => {
    const { view } = open();
    const { ext_id: registrant_ext_id } = unwrap(await view.registrants.create({ name: "Ana" })).record;
    const data = type === "create_farm" ? { registrant_ext_id, name: "Hill" } : addFarmer.data;
    const id = await submitted(view, { type, data });
    unwrap(await view.changeRequests.approve(id));
    const [group, person] = ["group", "registrant"].map((name) => ({
      identifier: [{ system: `urn:service:${name}`, value: id }],
    }));
    unwrap(await view.groups.create({ type: "Group", ...group, groupType: "other", name: "Mine" }));
    unwrap(await view.individuals.create({ type: "Individual", ...person, name: { text: "Mine" } }));
    expect(unwrap(await view.changeRequests.apply(id)).record.status).toBe("applied");
  });

  it("grant a consent", async () => {
    const { registry, view } = open();
    const { registrant_ext_id: id = "" } = await applied(view, addFarmer);
    expect((await registry.as(bound).registrants.read(id)).ok).toBe(false);
    const data = {
      subject: { reference: `Individual/urn:service:registrant|${id}` },
      grantee: { organization: "NGO" },
      scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name"] }],
    };
    expect(await applied(view, { type: "grant_consent", data })).toMatchObject({ registrant_ext_id: id });
    expect(unwrap(await registry.as(bound).registrants.read(id)).record).toMatchObject({ name: "Ana Reyes" });
  });

  it("reopen an enrollment that was left, and no other", async () => {
    const { view } = open();
    const identifier = [{ system: "urn:service:program", value: "cash" }];
    unwrap(
      await view.programs.create({ type: "Program", identifier, name: "Cash", targetType: "individual" }),
    );
    const { registrant_ext_id: id = "" } = await applied(view, addFarmer);
    const enrollment = {
      type: "ProgramMembership",
      program: { reference: "Program/urn:service:program|cash" },
      beneficiary: { reference: `Individual/urn:service:registrant|${id}` },
      status: "enrolled",
      enrollmentDate: "2026-01-01",
    };
    const { reference } = unwrap(await view.memberships.create(enrollment));
    const body = { type: "reopen_enrollment", data: { membership: { reference } } };
    expect(fieldsOf(await view.changeRequests.submit(body))).toEqual(["/data/membership"]);
    const address = reference.replace("ProgramMembership/", "");
    const leave = { status: "exited", exitReason: "moved away" };
    unwrap(await view.memberships.patch(address, leave, { ifMatch: "*" }));
    const twice = await submitted(view, body);
    expect(await applied(view, body)).toMatchObject({ status: "applied", registrant_ext_id: id });
    const open_ = unwrap(await view.memberships.read(address));
    expect(open_).toMatchObject({ status: "enrolled", enrollmentDate: "2026-11-21" });
    expect(open_).not.toHaveProperty("exitReason");
    unwrap(await view.changeRequests.approve(twice));
    expect(fieldsOf(await view.changeRequests.apply(twice))).toEqual(["/data/membership"]);
  });
});

describe("applying", () => {
  it("at the same time by many has one effect", async () => {
    const { registry, view } = open();
    const id = await submitted(view, addFarmer);
    unwrap(await view.changeRequests.approve(id));
    const callers = ["a", "b", "c", "d"].map((clientId) => registry.as({ ...operator, clientId }));
    const answers = await Promise.all(callers.map(({ changeRequests }) => changeRequests.apply(id)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(unwrap(await view.registrants.list()).data).toHaveLength(1);
  });

  it("again, by somebody else, after a crash between the change and the state has one effect", async () => {
    const store = createMemoryStore();
    let crash = false;
    const crashing: Store = {
      ...store,
      commit: async (commit: Commit) => {
        if (crash && commit.put?.some(({ collection }) => collection === "change-request"))
          throw new Error("crash");
        return store.commit(commit);
      },
    };
    const { registry, view } = open({ store: crashing });
    const { registrant_ext_id: ana = "" } = await applied(view, addFarmer);
    const data = { registrant_ext_id: ana, farmer: { livestockCount: 1 } };
    const ids = [
      await submitted(view, addFarmer),
      await submitted(view, { type: "create_farm", data: { registrant_ext_id: ana, name: "Hill" } }),
      await submitted(view, { type: "edit_farmer", data }),
    ];
    for (const id of ids) unwrap(await view.changeRequests.approve(id));
    crash = true;
    for (const id of ids) await expect(view.changeRequests.apply(id)).rejects.toThrow("crash");
    crash = false;
    const later = { extension: { farmer: { livestockCount: 9 } } };
    unwrap(await view.individuals.patch(`urn:service:registrant|${ana}`, later, { ifMatch: "*" }));
    const other = registry.as({ ...operator, clientId: "other" });
    for (const id of ids) expect(unwrap(await other.changeRequests.apply(id)).record.status).toBe("applied");
    expect(unwrap(await view.registrants.list()).data).toHaveLength(2);
    expect(unwrap(await view.groups.search()).data).toHaveLength(1);
    const person = unwrap(
      await view.individuals.read(`urn:service:registrant|${ana}`, { extensions: "farmer" }),
    );
    expect(person.extension?.farmer).toMatchObject({ livestockCount: 9 });
  });
});

describe("an automatic type", () => {
  const archive: ChangeRequestType = {
    name: "note",
    schema: z.strictObject({ name: z.string() }),
    auto: true,
    apply: async ({ name }, { view, idempotency }) => {
      if (name === "refused") {
        const errors = [{ field: "/name", code: "invalid_value", message: "is refused" }];
        return failure({ kind: "validation", detail: "refused", errors });
      }
      const made = await view.registrants.create({ name }, { idempotency: idempotency() });
      return made.ok ? success({ registrantExtId: made.value.record.ext_id }) : made;
    },
  };

  it("is applied at once, once", async () => {
    const { view } = open({ types: [archive] });
    const idempotency = { key: "k", fingerprint: "f" };
    const body = { type: "note", data: { name: "Ana" } };
    const first = unwrap(await view.changeRequests.submit(body, { idempotency }));
    expect(first.record).toMatchObject({ status: "applied" });
    const again = unwrap(await view.changeRequests.submit(body, { idempotency }));
    expect(again).toEqual({ record: first.record, versionId: "2", replayed: true });
    expect(unwrap(await view.registrants.list()).data).toHaveLength(1);
  });

  it("waits as a draft when asked to, and is applied when it is submitted", async () => {
    const { view } = open({ types: [archive] });
    const id = await submitted(view, { type: "note", data: { name: "Ana" }, draft: true });
    expect(unwrap(await view.registrants.list()).data).toHaveLength(0);
    expect(unwrap(await view.changeRequests.submitDraft(id)).record.status).toBe("applied");
  });

  it("waits for somebody else when a caller bound by consent submits it", async () => {
    const { registry, view } = open({ types: [archive] });
    const own = registry.as(bound);
    const body = { type: "note", data: { name: "Ana" } };
    const ids = [await submitted(own, body), await submitted(own, { ...body, draft: true })];
    unwrap(await own.changeRequests.submitDraft(ids[1] ?? ""));
    for (const id of ids) expect(unwrap(await own.changeRequests.read(id)).status).toBe("pending");
    expect(unwrap(await view.registrants.list()).data).toHaveLength(0);
    unwrap(await view.changeRequests.approve(ids[0] ?? ""));
    expect(unwrap(await view.changeRequests.apply(ids[0] ?? "")).record.status).toBe("applied");
  });

  it("is a draft again when it can't be applied", async () => {
    const { registry, view } = open({ types: [archive] });
    const id = await submitted(view, { type: "note", data: { name: "refused" }, draft: true });
    const idempotency = { key: "k", fingerprint: "f" };
    for (let i = 0; i < 2; i++) {
      expect(fieldsOf(await view.changeRequests.submitDraft(id, { idempotency }))).toEqual(["/data/name"]);
      expect(unwrap(await view.changeRequests.read(id)).status).toBe("draft");
    }
    unwrap(await view.changeRequests.replace(id, { data: { name: "Ana" } }));
    const again = { key: "k2", fingerprint: "f" };
    for (const replayed of [false, true]) {
      const made = unwrap(await view.changeRequests.submitDraft(id, { idempotency: again }));
      expect(made).toMatchObject({ replayed, record: { status: "applied" } });
    }
    expect(unwrap(await view.registrants.list()).data).toHaveLength(1);
    expect(unwrap(await registry.audit({ record: `ChangeRequest/${id}` })).data).toHaveLength(8);
  });

  it("leaves nothing behind when it can't be applied", async () => {
    const { view } = open({ types: [archive] });
    const idempotency = { key: "k", fingerprint: "f" };
    const body = { type: "note", data: { name: "refused" } };
    for (let i = 0; i < 2; i++) {
      expect(fieldsOf(await view.changeRequests.submit(body, { idempotency }))).toEqual(["/data/name"]);
    }
  });
});
