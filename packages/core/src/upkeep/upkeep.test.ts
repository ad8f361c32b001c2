import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { unwrap } from "../problem.ts";
import { printReference } from "../resource/reference.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store, StoredDocument } from "../store/port.ts";
import { damage, keptWorld } from "./test-world.ts";
import { verifyRegistry } from "./verify.ts";

const collections = [
  ...["Individual", "Group", "Program", "ProgramMembership", "Consent", "cycle", "entitlement", "fund"],
  ...["photo", "change-request", "idempotency", "guard", "former-member", "system", "audit"],
];

describe("a store's fault that building anew does not mend", () => {
  it("is told once, whatever else of it is mended", async () => {
    const kept = createMemoryStore();
    const at = { collection: "Individual", key: "k" };
    const lasting = [
      { about: "medium" as const, message: "a page is damaged" },
      { about: "document" as const, at, message: "it can't be read" },
    ];
    const store: Store = {
      ...kept,
      verify: async (tell) => {
        for (const fault of lasting) tell(fault);
        return kept.verify?.(tell) ?? noCensus;
      },
      rebuild: async (tell) => {
        tell({ about: "document", at, message: "it was left aside" });
        tell({ about: "claim", at, message: "another has it for the moment" });
        return kept.rebuild?.(tell) ?? noCensus;
      },
    };
    const { mend } = await keptWorld(store);
    const { left, found } = await mend();
    expect(left).toBe(2);
    expect(found).toMatchObject([
      { ...at, kind: "store", message: "document: it was left aside" },
      { collection: "", key: "", kind: "store", message: "medium: a page is damaged" },
    ]);
  });
});

describe("a damaged medium that each piece of work meets", () => {
  it("is told once, and counted apart", async () => {
    const kept = createMemoryStore();
    const fault = { about: "medium" as const, message: "a page is damaged" };
    const at = { collection: "Individual", key: "k" };
    const verify: Store["verify"] = async (tell) => {
      for (const each of [fault, fault, { ...fault, at }, { about: "claim" as const, message: "x" }])
        tell(each);
      return noCensus;
    };
    const { config } = await keptWorld({ ...kept, verify });
    const told: string[] = [];
    const { findings, ofMedium } = await verifyRegistry(config, {
      tell: ({ key, message }) => told.push(`${key} ${message}`),
    });
    expect(told).toEqual([" medium: a page is damaged", "k medium: a page is damaged", " claim: x"]);
    expect([findings, ofMedium]).toEqual([3, 2]);
  });
});

const noCensus = { documents: 0, claims: 0, entries: 0, feeds: 0 };

describe("a sound registry", () => {
  it("has a document of every kind and no fault in any", async () => {
    const { store, faults } = await keptWorld();
    for (const collection of collections) {
      const { documents } = await store.query({ collection, limit: 1 });
      expect(documents, collection).toHaveLength(1);
    }
    expect(await faults()).toEqual([]);
  });

  it.each(["pa%41", "50%25", "50%", "a%2Cb%2Fc", "JOHN%20DOE", "JOHN DOE"])(
    "has no fault where somebody is %s",
    async (value) => {
      const { view, faults } = await keptWorld();
      const system = "urn:gov:id";
      const name = { given: "Ana" };
      unwrap(await view.individuals.create({ type: "Individual", identifier: [{ system, value }], name }));
      const entity = { reference: printReference("Individual", { system, value }) };
      unwrap(await view.groups.addMember(`${system}|g`, { entity }));
      expect(await faults()).toEqual([]);
    },
  );

  it("is left as it is", async () => {
    const { store, mend } = await keptWorld();
    const before = await everything(store);
    expect(await mend()).toMatchObject({ mended: 0, conflicts: 0, left: 0, found: [] });
    expect(await everything(store)).toEqual(before);
  });
});

type Change = (document: StoredDocument) => Partial<StoredDocument>;

const noClaims: Change = () => ({ claims: [] });
const noEntries: Change = () => ({ entries: {} });
const withIndex =
  (index: string, values: readonly string[]): Change =>
  ({ entries }) => ({
    entries: { ...entries, [index]: values },
  });

const declarations: readonly (readonly [string, string, Change, string])[] = [
  ["a person without claims", "Individual", noClaims, "claims"],
  ["a person with a claim of nobody", "Individual", ({ claims }) => ({ claims: [...claims, "x"] }), "claims"],
  ["a person found by another name", "Individual", withIndex("name", ["eve"]), "entries"],
  ["a person in no feed", "Individual", () => ({ feeds: [] }), "feeds"],
  ["a person in a feed too many", "Individual", ({ feeds }) => ({ feeds: [...feeds, "area:XX"] }), "feeds"],
  [
    "an enrollment that its beneficiary's feeds do not tell",
    "ProgramMembership",
    () => ({ feeds: ["all"] }),
    "feeds",
  ],
  ["an enrollment without its claim", "ProgramMembership", noClaims, "claims"],
  ["a consent of no subject", "Consent", withIndex("subject", []), "entries"],
  ["a cycle out of order", "cycle", withIndex("sequence", ["1"]), "entries"],
  [
    "an entitlement whose ern is free",
    "entitlement",
    ({ claims }) => ({ claims: claims.slice(1) }),
    "claims",
  ],
  ["a kept answer that is never forgotten", "idempotency", noEntries, "entries"],
  ["a change that the trail does not find", "audit", withIndex("record", []), "entries"],
  [
    "a change request of before it was found by its submitter",
    "change-request",
    ({ entries: { submitter: _, ...entries } }) => ({ entries }),
    "entries",
  ],
];

describe("what a document declares otherwise than its body", () => {
  it.each(declarations)("is found and mended: %s", async (_name, collection, change, kind) => {
    const { store, faults, mend } = await keptWorld();
    const before = await damage(store, collection, change);
    const found = await faults();
    expect(found).toMatchObject([{ collection, key: before.key, kind }]);
    expect((await mend()).mended).toBe(1);
    expect(await faults()).toEqual([]);
    const [after] = await store.get([before]);
    const sorted = ({ claims, feeds, entries, body }: StoredDocument) => ({
      ...{ claims: [...claims].sort(), feeds: [...feeds].sort(), entries, body },
    });
    expect(after && sorted(after)).toEqual(sorted(before));
    expect((await mend()).mended).toBe(0);
  });

  it("gets no other version that callers know", async () => {
    const { store, view, mend } = await keptWorld();
    await damage(store, "change-request", noEntries);
    await damage(store, "entitlement", () => ({ claims: [] }));
    const versions = async () =>
      [
        ...(await store.query({ collection: "change-request", limit: 9 })).documents,
        ...(await store.query({ collection: "entitlement", limit: 9 })).documents,
      ].map(({ version }) => version);
    const before = await versions();
    expect((await mend()).mended).toBe(2);
    expect(await versions()).toEqual(before);
    expect((await view.individuals.read("urn:gov:id|1")).ok).toBe(true);
  });

  it("is told anew in its feeds", async () => {
    const { store, mend } = await keptWorld();
    await damage(store, "Individual", () => ({ feeds: ["all", "area:XX"] }));
    const { next } = await store.changes({ feed: "area:XX", limit: 9 });
    await mend();
    const { changes } = await store.changes({ feed: "area:XX", cursor: next, limit: 9 });
    expect(changes).toMatchObject([{ kind: "gone", collection: "Individual" }]);
  });
});

const bodies: readonly (readonly [string, string, (body: JsonObject) => JsonObject | null, string])[] = [
  ["a record that is none", "Individual", () => null, "body"],
  ["a record with an unknown member", "Individual", inRecord({ nickname: "Al" }), "body"],
  ["a record without meta", "Individual", inRecord({ meta: {} }), "body"],
  ["a photo that is none", "photo", (body) => ({ ...body, photo: "data:image/png;base64,AAAA" }), "body"],
  ["a photo of nobody", "photo", (body) => ({ ...body, of: "nobody" }), "reference"],
  ["a person whose photo is gone", "Individual", inRecord({ photo: "photo:9:x:gone" }), "reference"],
  ["a household whose member is nowhere", "Group", linkedTo("nobody"), "reference"],
  ["an enrollment whose parts are nowhere", "ProgramMembership", linkedTo("nobody"), "reference"],
  ["an entitlement of no cycle", "entitlement", (body) => ({ ...body, cycle: "none" }), "reference"],
  ["a fund that counts too much", "fund", (body) => ({ ...body, committed: { KES: "11.00" } }), "fund"],
  [
    "an answer of the year 3000",
    "idempotency",
    (body) => ({ ...body, at: "3000-01-01T00:00:00.000Z" }),
    "body",
  ],
];

describe("what only a person can mend", () => {
  it.each(bodies)(
    "is found, told without values, and left as it is: %s",
    async (_name, collection, change, kind) => {
      const { store, faults, mend } = await keptWorld();
      const { key } = await damage(store, collection, ({ body }) => ({ body: change(body as JsonObject) }));
      const found = await faults();
      expect(found).toContainEqual(expect.objectContaining({ collection, key, kind }));
      expect(JSON.stringify(found)).not.toMatch(/Reyes|Anna|urn:gov:id/);
      await mend();
      expect(await faults()).toContainEqual(expect.objectContaining({ collection, key, kind }));
    },
  );

  it("is a record that is gone, which the trail and whoever refers to it still name", async () => {
    const { store, faults } = await keptWorld();
    const { key } = await damage(store, "Individual", () => ({}));
    await store.commit({ remove: [{ collection: "Individual", key }] });
    const kinds = new Set((await faults()).map(({ collection, kind }) => `${collection} ${kind}`));
    expect([...kinds]).toEqual(
      expect.arrayContaining(["audit reference", "guard reference", "Group reference"]),
    );
  });

  it("is a reference by a name that its record lost", async () => {
    const { store, faults } = await keptWorld();
    await damage(store, "Individual", ({ body }) => {
      const { record } = body as { record: JsonObject };
      const renamed = { ...record, identifier: [{ system: "urn:gov:id", value: "9" }] };
      return { body: { ...(body as JsonObject), record: renamed }, claims: ["Individual/urn:gov:id|9"] };
    });
    const found = await faults();
    expect(found).toContainEqual(expect.objectContaining({ collection: "Group", kind: "reference" }));
  });

  it("is a claim that two bodies give: the one that holds it keeps it", async () => {
    const { store, faults, mend } = await keptWorld();
    const [first, second] = (await store.query({ collection: "Individual", limit: 2 })).documents;
    if (!first || !second) throw new Error("The world has too few persons");
    const body = { ...(second.body as JsonObject), record: (first.body as { record: JsonObject }).record };
    await store.commit({ put: [{ ...second, body, claims: [] }] });
    const { conflicts, found } = await mend();
    expect(conflicts).toBe(1);
    expect(found).toMatchObject([{ collection: "Individual", key: second.key, kind: "claims" }]);
    expect(await store.resolve(first.claims)).toMatchObject([{ key: first.key }]);
    expect(await faults()).toContainEqual(expect.objectContaining({ key: second.key, kind: "claims" }));
  });
});

describe("claims that were exchanged", () => {
  it("come back to whom they belong", async () => {
    const { store, faults, mend } = await keptWorld();
    const [first, second] = (await store.query({ collection: "Individual", limit: 2 })).documents;
    if (!first || !second) throw new Error("The world has too few persons");
    await store.commit({
      put: [
        { ...first, claims: second.claims },
        { ...second, claims: first.claims },
      ],
    });
    expect(await mend()).toMatchObject({ conflicts: 0, found: [] });
    expect(await faults()).toEqual([]);
  });
});

describe("the trail of a record", () => {
  const trailOf = async (store: Awaited<ReturnType<typeof keptWorld>>["store"], version: string) => {
    const { documents } = await store.query({ collection: "audit", limit: 100 });
    const [person] = (await store.query({ collection: "Individual", limit: 1 })).documents;
    const own = documents.find(({ body }) => {
      const [entry] = (body as unknown as { entries: { records: string[]; versionId?: string }[] }).entries;
      return entry?.records[0] === `Individual/${person?.key}` && entry.versionId === version;
    });
    if (!own) throw new Error(`The trail has no version ${version}`);
    return own;
  };

  it.each([
    ["has no beginning", "1", "no audit entry tells of its versions before 2"],
    ["has no end", "2", "its newest audit entry tells version 1; it is at 2"],
  ])("%s", async (_name, version, message) => {
    const { store, faults } = await keptWorld();
    const { collection, key } = await trailOf(store, version);
    await store.commit({ remove: [{ collection, key }] });
    expect(await faults()).toMatchObject([{ collection: "Individual", kind: "history", message }]);
  });

  it("has a gap", async () => {
    const { store, view, faults } = await keptWorld();
    await view.individuals.patch("urn:gov:id|1", { gender: null, birthDate: "1990-01-01" }, { ifMatch: "*" });
    const { collection, key } = await trailOf(store, "2");
    await store.commit({ remove: [{ collection, key }] });
    expect(await faults()).toMatchObject(
      [{ kind: "history", message: /version 3 do not lead/ }].map((one) => ({
        ...one,
        message: expect.stringMatching(one.message),
      })),
    );
  });
});

describe("a store that others write meanwhile", () => {
  it("is told no fault of what changes while it is looked at", async () => {
    const { store, view, config, faults } = await keptWorld();
    const patches = async () => {
      for (let i = 0; i < 40; i++) {
        const name = { given: `Ana ${i}` };
        const identifier = [{ system: "urn:gov:id", value: i % 2 === 0 ? "1b" : "1" }];
        const address = i % 2 === 0 ? "urn:gov:id|1" : "urn:gov:id|1b";
        const state = i % 3 === 0 ? "Coast" : "Nairobi";
        const home = [{ type: "physical", country: "KE", state }];
        unwrap(await view.individuals.patch(address, { name, identifier, address: home }, { ifMatch: "*" }));
      }
    };
    const [, ...found] = await Promise.all([patches(), faults(), faults(), faults()]);
    expect(found).toEqual([[], [], []]);
    expect(config.store).toBe(store);
    expect(await faults()).toEqual([]);
  });
});

function inRecord(more: JsonObject) {
  return (body: JsonObject): JsonObject => ({ ...body, record: { ...(body.record as JsonObject), ...more } });
}

function linkedTo(key: string) {
  return (body: JsonObject): JsonObject => ({
    ...body,
    links: Object.fromEntries(Object.keys(body.links as JsonObject).map((raw) => [raw, key])),
  });
}

async function everything(store: Awaited<ReturnType<typeof keptWorld>>["store"]) {
  const pages = await Promise.all(collections.map((collection) => store.query({ collection, limit: 500 })));
  return pages.flatMap(({ documents }) => documents);
}
