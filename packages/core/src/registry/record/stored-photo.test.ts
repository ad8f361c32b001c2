import { beforeEach, describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { DocumentKey, Store } from "../../store/port.ts";
import { createTestRegistry, type TestRegistry } from "../../testing/test-registry.ts";
import { createBudget } from "../budget.ts";
import { person } from "../search/test-world.ts";
import { recordDocument, storedRecord } from "./document.ts";
import { photoCollection } from "./stored-photo.ts";

/** A JPEG's beginning, one scan, and its end. */
const photoOf = (scan: string) =>
  `data:image/jpeg;base64,${btoa(`\xff\xd8\xff\xda\0\x08\x01\x01\0\0\x3f\0${scan}\xff\xd9`)}`;
const [first, second] = [photoOf("a".repeat(30_000)), photoOf("b".repeat(30_000))];
const ana = "urn:id|ana";
const any = { ifMatch: "*" } as const;

let world: TestRegistry;
beforeEach(async () => {
  world = createTestRegistry({ retention: { changes: 180 } });
  unwrap(await world.view.individuals.create(person("ana", { photo: first })));
});

/** The photos that are kept. */
async function kept({ store } = world) {
  const { documents } = await store.query({ collection: photoCollection, limit: 99 });
  return documents.map(({ body }) => (body as { photo: string }).photo);
}

/** The same records behind a store that notes which photos are read and written. */
function watched(): { view: TestRegistry["view"]; touched: string[] } {
  const touched: string[] = [];
  const note = (keys: readonly DocumentKey[] = []) => {
    for (const { collection } of keys) if (collection === photoCollection) touched.push(collection);
  };
  const store: Store = {
    ...world.store,
    get: (keys) => {
      note(keys);
      return world.store.get(keys);
    },
    commit: (commit) => {
      note(commit.put);
      return world.store.commit(commit);
    },
  };
  return { view: createTestRegistry({ store, startAt: "2026-01-02T08:00:00.000Z" }).view, touched };
}

describe("a photo", () => {
  it("is answered with its record, to whoever wrote or reads it", async () => {
    const created = unwrap(await world.view.individuals.create(person("eva", { photo: second })));
    expect(created.record.photo).toBe(second);
    expect(unwrap(await world.view.individuals.read(ana)).photo).toBe(first);
    const renamed = unwrap(await world.view.individuals.patch(ana, { name: { given: "A" } }, any));
    expect(renamed.record.photo).toBe(first);
    const replaced = unwrap(await world.view.individuals.patch(ana, { photo: second }, any));
    expect(replaced.record.photo).toBe(second);
    expect(unwrap(await world.view.individuals.read(ana)).photo).toBe(second);
    const removed = unwrap(await world.view.individuals.patch(ana, { photo: null }, any));
    expect(removed.record).not.toHaveProperty("photo");
  });

  it("is neither read nor written with what does not show it", async () => {
    const { view, touched } = watched();
    unwrap(await view.groups.create(household));
    unwrap(await view.groups.search({}));
    unwrap(await view.individuals.search({ name: "ana" }));
    unwrap(await view.changes({ feed: "all" }));
    unwrap(await view.individuals.history(ana));
    expect(touched).toEqual([]);
    await view.individuals.patch(ana, { birthDate: "1990-01-01" }, { ...any, elements: "name" });
    expect(touched).toEqual([]);
  });

  it("that is sent once more is no change", async () => {
    const whole = unwrap(await world.view.individuals.read(ana));
    const put = unwrap(await world.view.individuals.replace(ana, whole, any));
    const patched = unwrap(await world.view.individuals.patch(ana, { photo: first }, any));
    expect([put.versionId, patched.versionId]).toEqual(["1", "1"]);
    expect(await kept()).toEqual([first]);
  });

  it("is another one where a single character differs", async () => {
    for (let at = 15_000; at < 15_016; at += 1) {
      const other = photoOf(`${"a".repeat(at)}c${"a".repeat(29_999 - at)}`);
      const { record } = unwrap(await world.view.individuals.patch(ana, { photo: other }, any));
      expect(record.meta.versionId).toBe(String(at - 15_000 + 2));
      expect(unwrap(await world.view.individuals.read(ana)).photo).toBe(other);
    }
  });

  it("can't be named by its reference", async () => {
    const { documents } = await world.store.query({ collection: "Individual", limit: 1 });
    const [reference] = documents.map(({ body }) => (body as { record: { photo: string } }).record.photo);
    const eva = await world.view.individuals.create(person("eva", { photo: reference }));
    expect(eva).toMatchObject({
      ok: false,
      problem: { errors: [{ field: "/photo", code: "invalid_value" }] },
    });
  });

  it("that was replaced is kept as long as the trail tells of it", async () => {
    world.advance({ days: 1 });
    unwrap(await world.view.individuals.patch(ana, { photo: second }, any));
    world.advance({ days: 1 });
    unwrap(await world.view.individuals.patch(ana, { photo: null }, any));
    const { data } = unwrap(await world.registry.audit());
    expect(JSON.stringify(data).length).toBeLessThan(3000);
    expect(new Set(await kept())).toEqual(new Set([first, second]));
    world.advance({ days: 180, milliseconds: -1 });
    while ((await world.registry.forgetOldEntries()) > 0);
    expect(await kept()).toEqual([second]);
    world.advance({ days: 1 });
    while ((await world.registry.forgetOldEntries()) > 0);
    expect(await kept()).toEqual([]);
  });

  it("is answered again with the same Idempotency-Key, and never kept twice", async () => {
    const idempotency = { key: "k", fingerprint: "f" };
    const once = unwrap(
      await world.view.individuals.create(person("eva", { photo: second }), { idempotency }),
    );
    const again = unwrap(
      await world.view.individuals.create(person("eva", { photo: second }), { idempotency }),
    );
    expect([once.record.photo, again.record.photo, again.replayed]).toEqual([second, second, true]);
    expect(await kept()).toEqual([first, second]);
  });

  it("stays within its record where no trail would keep a replaced one", async () => {
    const device = createTestRegistry({ policies: { audit: false } });
    unwrap(await device.view.individuals.create(person("ana", { photo: first })));
    unwrap(await device.view.individuals.patch(ana, { photo: second }, any));
    expect(unwrap(await device.view.individuals.read(ana)).photo).toBe(second);
    expect(await kept(device)).toEqual([]);
  });

  it("that an earlier version kept within its record is shown, and moves when the record changes", async () => {
    const [found] = (await world.store.query({ collection: "Individual", limit: 1 })).documents;
    if (!found) throw new Error("The world has no person");
    const stored = storedRecord(found);
    const within = { ...stored, version: 2, record: { ...stored.record, photo: second } };
    await world.store.commit({ put: [recordDocument(within)] });
    expect(unwrap(await world.view.individuals.read(ana)).photo).toBe(second);
    unwrap(await world.view.individuals.patch(ana, { name: { given: "A" } }, any));
    expect(unwrap(await world.view.individuals.read(ana)).photo).toBe(second);
    const [moved] = (await world.store.query({ collection: "Individual", limit: 1 })).documents;
    expect(JSON.stringify(moved?.body).length).toBeLessThan(1000);
  });

  it("that the store lost is left out", async () => {
    const { documents } = await world.store.query({ collection: photoCollection, limit: 1 });
    await world.store.commit({ remove: documents });
    expect(unwrap(await world.view.individuals.read(ana))).not.toHaveProperty("photo");
  });
});

describe("a page of photos", () => {
  const crowd = ["a", "b", "c", "d", "e", "f"];
  const limits = { records: 1000, bytes: 100_000, milliseconds: 1000 };
  const budget = () => createBudget({ ...limits, elapsed: () => 0 });
  beforeEach(async () => {
    for (const name of crowd) unwrap(await world.view.individuals.create(person(name, { photo: second })));
    const scope = [{ resourceType: "all", fieldAccess: "all" }];
    const subject = { reference: "Individual/urn:id|ana" };
    for (const name of ["ana", ...crowd]) {
      const of = { ...subject, reference: `Individual/urn:id|${name}` };
      unwrap(await world.view.consents.grant({ subject: of, grantee: { organization: "Relief" }, scope }));
    }
    world.advance({ days: 1 });
  });

  it.each([
    ["of a feed, for a caller who sees all", {}],
    ["of a feed, for a caller whom consents bind", { organization: "Relief", legalBasis: "consent" }],
  ] as const)("ends by their bytes: %s", async (_name, caller) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 20; pages++) {
      const view = world.as(caller, { budget: budget() });
      const page = unwrap(
        await view.changes({ feed: "all", elements: "photo", ...(cursor !== undefined && { cursor }) }),
      );
      const photos = page.data.flatMap((item) => (item.change === "upsert" ? [item.record?.photo] : []));
      expect(photos.length).toBeLessThanOrEqual(2);
      for (const photo of photos) expect([first, second]).toContain(photo);
      seen.push(...page.data.map(({ reference }) => reference));
      cursor = page.nextCursor;
      if (!page.hasMore) break;
    }
    expect(seen).toHaveLength(1 + crowd.length);
    expect(new Set(seen).size).toBe(1 + crowd.length);
  });

  it("is as long as another where the photos are hidden", async () => {
    const caller = { fields: ["name"] };
    const view = world.as(caller, { budget: budget() });
    const page = unwrap(await view.changes({ feed: "all", elements: "photo" }));
    expect([page.data.length, page.hasMore]).toEqual([1 + crowd.length, false]);
  });
});

const household = {
  type: "Group",
  identifier: [{ system: "urn:group", value: "g" }],
  groupType: "household",
  name: "Reyes",
  member: [{ entity: { reference: "Individual/urn:id|ana" } }],
};
