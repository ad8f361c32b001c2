import { createMemoryMedium, disability, farmer, type Individual, type JsonObject } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { born, clientOn, run } from "./support/files.ts";
import { ok, personOf, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const address = ana.slice("Individual/".length);
const veteran = { veteran: { url: "urn:service:extension:veteran", years: 3 } };
const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Gives records of a type more members, as a server of a later version does; `sent` is told every change of a record. */
function later(add: object, { type = "Individual", sent = [] as unknown[] } = {}) {
  const more = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(more);
    if (!isObject(value)) return value;
    const object = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, more(each)]));
    return object.type === type && "identifier" in object ? { ...object, ...add } : object;
  };
  return (send: Fetch): Fetch =>
    async (url, init) => {
      if (init.method === "PATCH") sent.push(JSON.parse(init.body ?? ""));
      const reply = await send(url, init);
      const text = await reply.text();
      const isTold = init.method === "GET" && /json/.test(reply.headers.get("content-type") ?? "");
      const { status, headers } = reply;
      return { status, headers, text: async () => (isTold ? JSON.stringify(more(JSON.parse(text))) : text) };
    };
}

const onServer = (world: World) => ok(world.view.individuals.read(address, { extensions: "*" }));
/** Where an edit is refused, of a person of whom this type knows less than there may be. */
const refusedAt = async (
  client: FieldClient,
  edit: (draft: Individual & Record<string, unknown>) => void,
) => {
  const outcome = await client.individuals.update(ana, (draft) => edit(draft as never));
  return outcome.ok ? [] : (outcome.problem.errors ?? []).map(({ field }) => field);
};

describe("a tablet without the server's declarations", () => {
  it.each([
    ["farmer", { farmer: { farmSize: 2 } }],
    ["disability", { disability: { assistanceNeeded: true } }],
  ])("edits a person whom the office gave the extension %s", async (_name, extension) => {
    const world = await createWorld({ extensions: [farmer, disability] });
    await ok(world.view.individuals.create({ ...personOf("ANA", { given: "Ana" }), extension }));
    const client = clientOn(world, createMemoryMedium());
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(ana, born));
    expect(await client.sync()).toMatchObject(settled);
    expect(await onServer(world)).toMatchObject({ birthDate: "1990-01-01", extension });
    expect((await ok(client.individuals.read(ana))).record).toMatchObject({ extension });
    await client.close();
  });

  it("corrects what the server refused of such a person", async () => {
    const world = await createWorld({ extensions: [farmer] });
    const extension = { farmer: { farmSize: 2 } };
    await ok(world.view.individuals.create({ ...personOf("ANA", { given: "Ana" }), extension }));
    let ahead = 0;
    const clock = () => new Date(world.now().getTime() + ahead);
    const client = clientOn(world, createMemoryMedium(), { clock });
    await ok(client.signIn(credentials));
    await client.sync();
    ahead = 36 * 60 * 60_000;
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.birthDate = "2026-01-16";
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 1 });
    await ok(client.individuals.update(ana, born));
    expect(await client.sync()).toMatchObject(settled);
    expect(await onServer(world)).toMatchObject({ birthDate: "1990-01-01", extension });
    await client.close();
  });
});

describe("a server of a later version", () => {
  let world: World;
  let sent: unknown[];
  const tabletOn = async (network: (send: Fetch) => Fetch): Promise<Device> => {
    const tablet = world.device("a", { network });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    return tablet;
  };

  beforeEach(async () => {
    [world, sent] = [await createWorld(), []];
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  });

  it.each([
    ["feed", "one more member", { nickname: "Anita" }],
    ["plain", "one more member", { nickname: "Anita" }],
    ["plain", "an internal id", { id: 7 }],
    ["feed", "one more part of a name", { name: { family: "Cruz", given: "Ana", maiden: "Sy" } }],
    [
      "feed",
      "a code of its own",
      { gender: { coding: [{ system: "urn:service:vocab:gender", code: "x" }] } },
    ],
    ["plain", "an extension that was added since", { extension: veteran }],
  ])("has people edited of whom a %s server tells %s", async (kind, _what, add) => {
    const network = later(add, { sent });
    const { client } = await tabletOn((send) => network(kind === "plain" ? plain(send) : send));
    await ok(client.individuals.update(ana, born));
    expect(await client.sync()).toMatchObject(settled);
    expect(sent).toEqual([{ birthDate: "1990-01-01" }]);
    expect((await onServer(world)).birthDate).toBe("1990-01-01");
    await client.sync();
    expect((await ok(client.individuals.read(ana))).record).toMatchObject({
      ...add,
      birthDate: "1990-01-01",
    });
  });

  it("is told no other fault than before of what a person enters", async () => {
    const { client } = await tabletOn(later({ nickname: "Anita", extension: veteran }));
    expect(
      await refusedAt(client, (draft) => {
        draft.birthDate = "2026-02-01";
      }),
    ).toEqual(["/birthDate"]);
    expect(
      await refusedAt(client, (draft) => {
        draft.nickname = "Annie";
      }),
    ).toEqual(["/nickname"]);
    expect(
      await refusedAt(client, (draft) => {
        draft.name = {};
      }),
    ).toEqual(["/name"]);
    const refugee = { ...veteran, refugee: { since: 2020 } };
    expect(
      await refusedAt(client, (draft) => {
        draft.extension = refugee;
      }),
    ).toEqual(["/extension/refugee"]);
    expect(await refusedAt(client, (draft) => void delete draft.nickname)).toEqual([]);
    const another = { identifier: [{ system, value: "BEN" }], name: { given: "Ben" }, extension: veteran };
    expect((await client.individuals.create(another as never)).ok).toBe(false);
  });

  it("gives households members with a part that is not known here", async () => {
    const entity = { reference: ana };
    const role = { coding: [{ system: "urn:service:vocab:relationship", code: "cook" }] };
    const household = { identifier: [{ system, value: "H" }], groupType: "household", name: "Cruz" };
    await ok(world.view.groups.create({ type: "Group", ...household, member: [{ entity }] }));
    await ok(world.view.individuals.create(personOf("BEN", { given: "Ben" })));
    const { client } = await tabletOn(later({ member: [{ entity, role }] }, { type: "Group" }));
    const reference = `Group/${system}|H`;
    const ben = { entity: { reference: `Individual/${system}|BEN` } };
    const joined = await client.groups.update(reference, (draft) => void draft.member?.push(ben));
    expect(joined.ok && joined.value.record.member).toMatchObject([{ entity, role }, ben]);
    const cook = await client.groups.update(reference, ({ member: [, last] = [] }) => {
      if (last) last.role = role;
    });
    expect(cook.ok ? [] : cook.problem.errors).toMatchObject([{ field: "/member/1/role/coding/0/code" }]);
  });

  it("has a household edited in which it lists somebody by two identifiers", async () => {
    const identifier = ["ANA", "ANA2"].map((value) => ({ system, value }));
    await ok(world.view.individuals.patch(address, { identifier }, { ifMatch: "*" }));
    const household = { identifier: [{ system, value: "H" }], groupType: "household", name: "Cruz" };
    await ok(world.view.groups.create({ type: "Group", ...household }));
    const member = [ana, `${ana}2`].map((reference) => ({ entity: { reference } }));
    const { client } = await tabletOn(later({ member }, { type: "Group" }));
    const edit = { identifier: [...identifier, { system, value: "ANA3" }] };
    await ok(client.individuals.update(ana, (draft) => void Object.assign(draft, edit)));
    const third = { entity: { reference: `${ana}3` } };
    const twice = await client.groups.update(`Group/${system}|H`, (draft) => void draft.member?.push(third));
    expect(twice.ok ? [] : twice.problem.errors).toMatchObject([{ field: "/member/2/entity" }]);
    await ok(client.groups.update(`Group/${system}|H`, (draft) => void Object.assign(draft, { name: "Sy" })));
  });

  it("is not sent a default for what it does not tell", async () => {
    const { client } = await tabletOn(later({ active: undefined }, { sent }));
    await ok(client.individuals.update(ana, born));
    await client.sync();
    expect(sent).toEqual([{ birthDate: "1990-01-01" }]);
  });

  it("has people edited whose name it does not tell, and none without the name that it tells", async () => {
    const { client } = await tabletOn(later({ name: undefined }));
    expect(await refusedAt(client, born)).toEqual([]);
    expect(
      await refusedAt(client, (draft) => {
        draft.name = {};
      }),
    ).toEqual(["/name"]);
  });
});

it("a person who was registered while the clock was ahead can be edited when it is right again", async () => {
  const world = await createWorld();
  let ahead = 36 * 60 * 60_000;
  const { client } = world.device("a", { ahead: () => ahead });
  const given = { identifier: [{ system, value: "ANA" }], name: { given: "Ana" }, active: true };
  await ok(client.individuals.create({ ...given, birthDate: "2026-01-16" }));
  ahead = 0;
  await ok(
    client.individuals.update(ana, (draft) => {
      draft.name.family = "Cruz";
    }),
  );
  expect(
    await refusedAt(client, (draft) => {
      draft.birthDate = "2026-01-17";
    }),
  ).toEqual(["/birthDate"]);
  await ok(client.signIn(credentials));
  expect(await client.sync()).toMatchObject({ parked: 1 });
  await ok(client.individuals.update(ana, born));
  expect(await client.sync()).toMatchObject(settled);
});
