import { describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials } from "./support/world.ts";

const system = "urn:test:national";
const address = `${system}|H`;
const referenceOf = (value: string) => `Individual/${system}|${value}`;

interface Member {
  readonly entity: { readonly reference: string };
  readonly inactive?: boolean;
}

const changes = {
  "one is taken out": { change: (all: readonly Member[]) => all.slice(1), left: ["Ben"] },
  "all are taken out": { change: () => [], left: [] },
  "one is marked as left": {
    change: ([first, ...rest]: readonly Member[]) => [
      ...(first ? [{ ...first, inactive: true }] : []),
      ...rest,
    ],
    left: ["Ana, left", "Ben"],
  },
};

/** "Their sealed work comes back" (decision 73): whom it means, also where the server tells no keys and everybody was listed again. */
describe.each([
  ["whose server tells keys", false],
  ["at a plain server", true],
])("sealed work on a household %s, where somebody else signed in meanwhile", (_, isPlain) => {
  it.each(Object.entries(changes))("%s", async (_name, { change, left }) => {
    const world = await createWorld();
    const { individuals, groups } = world.view;
    for (const value of ["Ana", "Ben"]) {
      const name = { family: "Cruz", given: value };
      await ok(individuals.create({ type: "Individual", identifier: [{ system, value }], name }));
    }
    const member = ["Ana", "Ben"].map((value) => ({ entity: { reference: referenceOf(value) } }));
    const group = { type: "Group", identifier: [{ system, value: "H" }], groupType: "household", name: "H" };
    await ok(groups.create({ ...group, member }));
    const { client } = world.device("a", isPlain ? { network: plain } : {});
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.groups.update(`Group/${address}`, (draft) => {
        draft.member = [...change(draft.member ?? [])] as NonNullable<typeof draft.member>;
      }),
    );
    await ok(client.signOut({ unsent: "seal" }));
    await ok(client.signIn({ ...credentials, clientId: "other" }));
    await client.sync();
    await ok(client.signOut());
    await ok(groups.patch(address, { name: "Renamed" }, { ifMatch: "*" }));
    await ok(client.signIn(credentials));
    for (let run = 0; run < 2; run++) await client.sync();

    const there = await ok(groups.read(address));
    const living = (there.member ?? []).map(
      ({ entity, inactive }) => `${entity.reference.split("|")[1]}${inactive ? ", left" : ""}`,
    );
    expect([living.sort(), there.name]).toEqual([left, "Renamed"]);
    expect(client.status.current).toMatchObject({ pending: 0, parked: 0 });
    const found = await ok(client.groups.search({ member: referenceOf("Ben") }));
    expect(found.data).toHaveLength(left.some((who) => who === "Ben") ? 1 : 0);
  });
});

type Draft = { name?: string; member?: readonly Member[] };

const typed: Readonly<
  Record<string, { readonly types: readonly ((draft: Draft) => void)[]; readonly living: string }>
> = {
  nothing: { types: [], living: "Ana,Ben,Eva" },
  "another name": { types: [renames("N1")], living: "Ana,Ben,Eva" },
  "another name, and another one then": { types: [renames("N1"), renames("N2")], living: "Ana,Ben,Eva" },
  "one more member": { types: [adds("Dan")], living: "Ana,Ben,Dan,Eva" },
  "another name, without the one who was added": {
    types: [renames("N1"), removes("Eva")],
    living: "Ana,Ben",
  },
  "another name, without one who was there before": {
    types: [renames("N1"), removes("Ana")],
    living: "Ben,Eva",
  },
};

function renames(name: string) {
  return (draft: Draft) => {
    draft.name = name;
  };
}

function adds(value: string) {
  return (draft: Draft) => {
    draft.member = [...(draft.member ?? []), { entity: { reference: referenceOf(value) } }];
  };
}

function removes(value: string) {
  return (draft: Draft) => {
    draft.member = draft.member?.filter(({ entity }) => !entity.reference.endsWith(`|${value}`)) ?? [];
  };
}

/** Everybody is listed again, while the household is not: an edit made till then means whom the sealed work means. */
describe.each([
  ["whose server tells keys", false],
  ["at a plain server", true],
])("a household %s that waits to be read anew, edited", (_, isPlain) => {
  it.each(Object.entries(typed))("to have %s", async (_name, { types, living }) => {
    const world = await createWorld();
    const { individuals, groups } = world.view;
    const values = ["Ana", "Ben", "Dan", "Eva"];
    for (const value of values) {
      const name = { family: "Cruz", given: value };
      await ok(individuals.create({ type: "Individual", identifier: [{ system, value }], name }));
    }
    const member = ["Ana", "Ben"].map((value) => ({ entity: { reference: referenceOf(value) } }));
    const group = { type: "Group", identifier: [{ system, value: "H" }], groupType: "household", name: "H" };
    await ok(groups.create({ ...group, member }));
    let isCut = false;
    const { client } = world.device("a", {
      network: (send) => {
        const reach = isPlain ? plain(send) : send;
        return async (url, init) =>
          isCut && /\/Group|cursor=/.test(url) ? new Response("busy", { status: 503 }) : reach(url, init);
      },
    });
    const edit = (change: (draft: Draft) => void) =>
      ok(client.groups.update(`Group/${address}`, (draft) => change(draft as Draft)));
    await ok(client.signIn(credentials));
    await client.sync();
    await edit(adds("Eva"));
    await ok(client.signIn({ ...credentials, clientId: "other" }));
    await ok(client.signIn(credentials));
    isCut = true;
    await client.sync();
    isCut = false;
    for (const each of types) await edit(each);
    world.pass(3_600_000);
    for (let run = 0; run < 2; run++) await client.sync();

    expect([await client.parked(), client.status.current.pending]).toEqual([[], 0]);
    const there = await ok(groups.read(address));
    const found = (there.member ?? []).map(({ entity }) => entity.reference.split("|")[1]);
    expect(found.sort().join()).toBe(living);
  });
});
