import { describe, expect, it } from "vitest";
import { type Outcome, unwrap } from "../problem.ts";
import { operator } from "../registry/scopes.ts";
import type { RegistryView } from "../registry/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import { addFarmer, bound, fieldsOf, nobody, open, submitted } from "./test-world.ts";

describe("a change request", () => {
  it.each<[string, (view: RegistryView, id: string) => Promise<Outcome<unknown>>]>([
    ["applied before it is approved", (view, id) => view.changeRequests.apply(id)],
    [
      "corrected before somebody asks for it",
      (view, id) => view.changeRequests.replace(id, { data: addFarmer.data }),
    ],
    ["submitted twice", (view, id) => view.changeRequests.submitDraft(id)],
  ])("can't be %s", async (_name, act) => {
    const { view } = open();
    const id = await submitted(view, addFarmer);
    expect(await act(view, id)).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    expect(unwrap(await view.changeRequests.read(id)).status).toBe("pending");
  });

  it("is revised, corrected and submitted again", async () => {
    const { view } = open();
    const id = await submitted(view, addFarmer);
    const asked = unwrap(await view.changeRequests.revise(id, { reason: "Which Ana?" })).record;
    expect(asked).toMatchObject({ status: "revision", reason: "Which Ana?", reviewed_by: "operator" });
    const wrong = { data: { name: "" } };
    expect(fieldsOf(await view.changeRequests.replace(id, wrong))).toEqual(["/data/name", "/data/farmer"]);
    const data = { name: "Ben Cruz", farmer: {} };
    const corrected = unwrap(await view.changeRequests.replace(id, { data })).record;
    expect(corrected).toMatchObject({ status: "draft", reason: "Which Ana?", data });
    unwrap(await view.changeRequests.replace(id, { data }));
    unwrap(await view.changeRequests.submitDraft(id));
    unwrap(await view.changeRequests.approve(id));
    const { registrant_ext_id } = unwrap(await view.changeRequests.apply(id)).record;
    expect(unwrap(await view.registrants.read(registrant_ext_id ?? "")).record.name).toBe("Ben Cruz");
  });

  it("tells each move that its state does not allow what may be done instead", async () => {
    const { view } = open();
    const id = await submitted(view, addFarmer);
    unwrap(await view.changeRequests.revise(id));
    const refused = await view.changeRequests.submitDraft(id);
    expect(refused.ok ? "" : refused.problem.detail).toBe(
      "The change request is revision and can't become pending; from there it may become draft. Change its data, which makes it a draft again, and submit that.",
    );
  });

  it("shows its data to who submitted it and to callers without limits, and is audited with them", async () => {
    const { registry, view, reads } = open();
    const some = registry.as({ ...operator, clientId: "clerk", fields: ["name"] });
    const id = await submitted(view, addFarmer);
    reads.length = 0;
    expect(unwrap(await view.changeRequests.read(id)).data).toMatchObject({ name: "Ana Reyes" });
    expect(unwrap(await some.changeRequests.read(id))).not.toHaveProperty("data");
    expect(reads.map(({ fields }) => fields.includes("data"))).toEqual([true, false]);
    const refused = await some.changeRequests.approve(id);
    expect(refused.ok ? "" : refused.problem.detail).toMatch(/limited to certain fields, may submit/);
    const own = await submitted(some, addFarmer);
    expect(unwrap(await some.changeRequests.read(own)).data).toBeDefined();
  });

  it("is listed oldest first, by status and type, page by page, without its data", async () => {
    const { registry, view, reads } = open();
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await submitted(view, addFarmer));
    const mine = await submitted(registry.as(bound), addFarmer);
    unwrap(await view.changeRequests.reject(ids[1] ?? ""));
    reads.length = 0;
    const list = async (request: object, as = view) => unwrap(await as.changeRequests.list(request));
    const extIds = async (request: object, as = view) =>
      (await list(request, as)).data.map(({ ext_id }) => ext_id);
    expect(await extIds({})).toEqual([...ids, mine]);
    expect(reads).toMatchObject([
      { action: "search", records: [...ids, mine].map((id) => `ChangeRequest/${id}`) },
    ]);
    expect(await extIds({ status: "pending", type: "add_farmer" })).toEqual([ids[0], ids[2], ids[3], mine]);
    expect(await extIds({ status: "rejected,applied" })).toEqual([ids[1]]);
    expect(await extIds({ type: "create_farm" })).toEqual([]);
    expect(await extIds({}, registry.as(bound))).toEqual([mine]);
    expect((await list({})).data[0]).not.toHaveProperty("data");
    const first = await list({ limit: "3", status: "pending" });
    expect(first).toMatchObject({ hasMore: true });
    const cursor = first.nextCursor ?? "";
    expect(await extIds({ limit: "3", status: "pending", cursor })).toEqual([mine]);
    for (const wrong of [
      { status: "open" },
      { type: "" },
      { type: "add_cow" },
      { type: "add_farmer,add_cow" },
      { cursor },
      { limit: "0" },
    ]) {
      expect(await view.changeRequests.list(wrong)).toMatchObject({ problem: { kind: "bad-request" } });
    }
  });

  it("kept by an earlier version is read, listed and changed, and from then on in its submitter's list", async () => {
    const store = createMemoryStore();
    const { registry, view } = open({ store });
    const own = registry.as(bound);
    const id = await submitted(own, { ...addFarmer, draft: true });
    const [document] = await store.get([{ collection: "change-request", key: id }]);
    if (!document) throw new Error("it was kept");
    // Before there were lists for submitters.
    const { submitter: _, ...entries } = document.entries;
    await store.commit({ put: [{ ...document, entries }] });
    const listed = async (as = view) => unwrap(await as.changeRequests.list({ status: "draft" })).data;
    expect(await listed()).toMatchObject([{ ext_id: id, submitted_by: "bound" }]);
    expect(await listed(own)).toEqual([]);
    expect(unwrap(await own.changeRequests.read(id)).data).toMatchObject(addFarmer.data);
    const data = { name: "Ben Cruz", farmer: {} };
    unwrap(await own.changeRequests.replace(id, { data }));
    expect(await listed(own)).toMatchObject([{ ext_id: id }]);
  });

  it("ends when it is rejected, with its reason in the audit trail", async () => {
    const { registry, view } = open();
    const id = await submitted(view, addFarmer);
    unwrap(await view.changeRequests.reject(id, { reason: "twice" }));
    expect(await view.changeRequests.approve(id)).toMatchObject({
      ok: false,
      problem: { kind: "invalid-state" },
    });
    expect(unwrap(await view.changeRequests.read(id))).toMatchObject({ status: "rejected", reason: "twice" });
    const { data } = unwrap(await registry.audit({ record: `ChangeRequest/${id}` }));
    expect(data).toMatchObject([{ action: "create" }, { action: "change", reason: "twice", versionId: "2" }]);
  });

  it("is, for a caller bound by consent, there only if it submitted it", async () => {
    const { registry, view } = open();
    const own = registry.as(bound);
    const mine = await submitted(own, addFarmer);
    const theirs = await submitted(view, addFarmer);
    expect((await own.changeRequests.read(mine)).ok).toBe(true);
    const hidden = await own.changeRequests.read(theirs);
    const unknown = await own.changeRequests.read(nobody);
    expect(JSON.stringify(hidden).replaceAll(theirs, "")).toBe(
      JSON.stringify(unknown).replaceAll(nobody, ""),
    );
  });

  it("is not decided on by a caller bound by consent, be it its own, another's or not there", async () => {
    const { registry, view } = open();
    const own = registry.as(bound);
    const mine = await submitted(own, addFarmer);
    const theirs = await submitted(view, addFarmer);
    const refusals = [mine, theirs, nobody].flatMap((id) =>
      [
        own.changeRequests.approve,
        own.changeRequests.reject,
        own.changeRequests.revise,
        own.changeRequests.apply,
      ].map((act) => act(id)),
    );
    const [first, ...others] = await Promise.all(refusals);
    expect(first).toMatchObject({ ok: false, problem: { kind: "authorization" } });
    for (const other of others) expect(other).toEqual(first);
    expect(unwrap(await own.changeRequests.read(mine)).status).toBe("pending");
  });

  it("answers a repeated submission with the first", async () => {
    const { view } = open();
    const idempotency = { key: "k", fingerprint: "f" };
    const first = unwrap(await view.changeRequests.submit(addFarmer, { idempotency }));
    expect(unwrap(await view.changeRequests.submit(addFarmer, { idempotency }))).toEqual({
      ...first,
      replayed: true,
    });
  });
});
