import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { Store } from "../../store/port.ts";
import type { TestRegistry } from "../../testing/test-registry.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { createRegistry } from "../create-registry.ts";
import { allScopes } from "../scopes.ts";
import type { RegistryView, SearchParameters } from "../types.ts";
import { person, searchBy, valuesOf } from "./test-world.ts";
import { mostMoved } from "./walk.ts";

const families = ["Abad", "Bello", "Cruz", "Dizon", "Estrada"];
const family = fc.constantFrom(...families);

async function open(names: readonly string[]): Promise<TestRegistry> {
  const world = createTestRegistry();
  for (const [i, name] of names.entries()) await add(world, `r${i}`, name);
  const terms = { grantee: { organization: "Relief" }, scope: [{ resourceType: "all", fieldAccess: "all" }] };
  for (const i of names.keys()) {
    const subject = { reference: `Individual/urn:id|r${i}` };
    unwrap(await world.view.consents.grant({ ...terms, subject }));
  }
  return world;
}

async function add({ view }: TestRegistry, value: string, name: string): Promise<void> {
  unwrap(await view.individuals.create(person(value, { name: { family: name } })));
}

async function rename({ view }: TestRegistry, value: string, name: string): Promise<void> {
  const patch = { name: { family: name } };
  unwrap(await view.individuals.patch(`urn:id|${value}`, patch, { ifMatch: "*" }));
}

/** Pages through a search; between two pages something happens. */
async function pages(
  view: RegistryView,
  parameters: SearchParameters,
  between: () => Promise<void>,
): Promise<readonly string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = unwrap(await searchBy(view, "Individual", { ...parameters, cursor }));
    seen.push(...valuesOf(page));
    cursor = page.nextCursor;
    if (cursor !== undefined) await between();
  } while (cursor !== undefined);
  return seen;
}

const change = fc.record({
  wait: fc.constantFrom(0, 1, 3_000, 6_000, 60_000),
  kind: fc.constantFrom("rename", "rename", "rename", "add"),
  who: fc.nat({ max: 9 }),
  name: family,
});

describe("a walk through sorted pages", () => {
  it.each([
    ["who sees all, by the store's order", {}, { limit: "2" }],
    ["who sees all, looking at each record", {}, { limit: "2", birthdate: "ne1800-01-01", active: "any" }],
    ["who is bound by consents", { organization: "Relief", legalBasis: "consent" }, { limit: "2" }],
  ] as const)(
    "meets each record once for a caller %s, whatever changes on the way",
    async (_who, caller, asked) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(family, { minLength: 1, maxLength: 8 }),
          fc.constantFrom("name", "-name", "_lastUpdated", "-_lastUpdated"),
          fc.array(change, { maxLength: 4 }),
          fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 6 }),
          async (names, sort, before, meanwhile) => {
            const world = await open(names);
            const made = names.map((_, i) => `r${i}`);
            if ("birthdate" in asked) await giveBirthDates(world, made);
            let added = 0;
            const make = async ({ wait, kind, who, name }: (typeof before)[number]) => {
              world.advance({ milliseconds: wait });
              if (kind === "rename") await rename(world, `r${who % names.length}`, name);
              else await add(world, `new${added++}`, name);
            };
            for (const one of before.filter(({ kind }) => kind === "rename")) await make(one);
            const rounds = [...meanwhile];
            const seen = await pages(world.as(caller), { ...asked, _sort: sort }, async () => {
              for (const one of rounds.shift() ?? []) await make(one);
            });
            expect(seen.filter((value) => made.includes(value)).sort()).toEqual(made.sort());
            expect(new Set(seen).size).toBe(seen.length);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it("begins with what was written a moment before", async () => {
    const world = await open(["Abad", "Bello", "Cruz"]);
    world.advance({ days: 1 });
    await rename(world, "r0", "Zamora");
    const seen = await pages(world.view, { _sort: "name", limit: "1" }, async () => {});
    expect(seen).toEqual(["r1", "r2", "r0"]);
  });

  it("puts a record that moves meanwhile where the first page saw it, and shows what it is now", async () => {
    const world = await open(["Abad", "Bello", "Cruz", "Dizon"]);
    world.advance({ days: 1 });
    const search = (cursor?: string) => world.view.individuals.search({ _sort: "name", limit: "2", cursor });
    const first = unwrap(await search());
    expect(valuesOf(first)).toEqual(["r0", "r1"]);
    world.advance({ milliseconds: 10 });
    await rename(world, "r0", "Zamora");
    await rename(world, "r3", "Aaron");
    await rename(world, "r2", "Yap");
    const second = unwrap(await search(first.nextCursor));
    expect(second.hasMore).toBe(false);
    expect(second.data.map(({ name }) => name.family)).toEqual(["Yap", "Aaron"]);
  });

  it("meets once a record whose change was stamped before the first page and committed after it", async () => {
    const world = await open(["Abad", "Bello", "Cruz"]);
    world.advance({ days: 1 });
    let commit = () => {};
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let reached = () => {};
    const stamped = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const slow: Store = {
      ...world.store,
      commit: async (what) => {
        reached();
        await committing;
        return world.store.commit(what);
      },
    };
    const writer = createTestRegistry({ store: slow, startAt: "2026-01-02T08:00:00.000Z" });
    const writing = rename(writer, "r2", "Aaron");
    await stamped;
    world.advance({ milliseconds: 100 });
    const seen = await pages(world.view, { _sort: "name", limit: "1" }, async () => {
      commit();
      await writing;
    });
    expect(seen).toEqual(["r0", "r1", "r2"]);
  });

  it("meets each record once when others write between the reads of one page", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(family, { minLength: 2, maxLength: 6 }),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
        fc.constantFrom("1", "2", "3"),
        fc.constantFrom({}, { organization: "Relief", legalBasis: "consent" }),
        async (...[names, meanwhile, limit, caller]) => {
          const world = await open(names);
          const rest = [...meanwhile];
          let now = Date.parse("2026-01-02T08:00:00.000Z");
          world.advance({ days: 1 });
          const between = async () => {
            for (const next of rest.shift() ?? []) {
              now += next.wait;
              world.advance({ milliseconds: next.wait });
              await rename(world, `r${next.who % names.length}`, next.name);
            }
          };
          const { store } = world;
          const busy: Store = {
            ...store,
            query: (query) => between().then(() => store.query(query)),
            get: (keys) => between().then(() => store.get(keys)),
          };
          const reader = createRegistry({ store: busy, clock: () => new Date(now), newId: () => "unused" });
          const view = reader.as({
            clientId: "reader",
            scopes: allScopes,
            legalBasis: "public_task",
            ...caller,
          });
          const seen = await pages(view, { _sort: "name", limit }, async () => {});
          expect([...seen].sort()).toEqual(names.map((_, i) => `r${i}`));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("goes on where records stand once too many changed on the way", async () => {
    const world = await open(["Abad"]);
    const entries = Array.from({ length: mostMoved + 1 }, (_, i) =>
      person(`m${i}`, { name: { family: "Many" } }),
    );
    const make = (from: number) =>
      world.view.transaction(
        entries
          .slice(from, from + 500)
          .map((body) => ({ verb: "create", type: "Individual", body }) as const),
      );
    world.advance({ days: 1 });
    const seen = await pages(world.view, { _sort: "name", limit: "500" }, async () => {});
    expect(seen).toEqual(["r0"]);
    const first = unwrap(await world.view.individuals.search({ _sort: "name", limit: "1" }));
    expect(first.hasMore).toBe(false);
    for (let from = 0; from < entries.length; from += 500) unwrap(await make(from));
    const begun = unwrap(await world.view.individuals.search({ _sort: "name", limit: "1" }));
    const all = await pages(world.view, { _sort: "name", limit: "500" }, async () => {});
    expect([valuesOf(begun), all.length, new Set(all).size]).toEqual([
      ["r0"],
      entries.length + 1,
      entries.length + 1,
    ]);
  }, 60_000);

  it("says nothing of versions in the cursor of a caller who may not see them", async () => {
    const world = await open(["Abad", "Bello", "Cruz"]);
    const bound = world.as({ fields: ["name"] });
    const cursorOf = async () =>
      unwrap(await bound.individuals.search({ _sort: "name", limit: "1" })).nextCursor;
    const before = await cursorOf();
    const patch = { birthDate: "1990-01-01" };
    unwrap(await world.view.individuals.patch("urn:id|r2", patch, { ifMatch: "*" }));
    expect(await cursorOf()).toBe(before);
  });
});

async function giveBirthDates({ view, advance }: TestRegistry, values: readonly string[]): Promise<void> {
  for (const value of values)
    unwrap(await view.individuals.patch(`urn:id|${value}`, { birthDate: "1990-01-01" }, { ifMatch: "*" }));
  advance({ days: 1 });
}
