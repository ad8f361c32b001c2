import type { FieldClient, HouseholdRegistration, Recipe, SignIn, SignOutOptions } from "@fieldroll/sync";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const individual = { name: { family: "Diaz" } };
const group = { groupType: "household", name: "Diaz" };

/** A refusal that names these members and says so in one sentence. */
const refusal = (detail: string, fields: readonly string[]) => ({
  ok: false,
  problem: {
    kind: "bad-request",
    detail,
    errors: fields.map((field) => expect.objectContaining({ field, code: "invalid_parameter" })),
  },
});

/** Collects what microtasks throw, in the place of whoever reports uncaught errors, until the globals are put back. */
function uncaughtLater(): readonly unknown[] {
  const uncaught: unknown[] = [];
  const soon = globalThis.queueMicrotask;
  vi.stubGlobal("queueMicrotask", (run: () => void) =>
    soon(() => {
      try {
        run();
      } catch (error) {
        uncaught.push(error);
      }
    }),
  );
  return uncaught;
}

/** Calls that the types forbid, as plain JavaScript may make them. */
describe("a wrong call", () => {
  let world: World;
  let device: Device;

  beforeEach(async () => {
    world = await createWorld();
    device = world.device("a");
  });
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    [undefined, ["clientId", "clientSecret"]],
    [null, ["clientId", "clientSecret"]],
    [{ user: "x" }, ["clientId", "clientSecret"]],
    [{ clientId: "tablet" }, ["clientSecret"]],
    [{ ...credentials, clientId: 5 }, ["clientId"]],
  ])("of signIn with %j is told what is missing, and asks no server", async (given, missing) => {
    expect(await device.client.signIn(given as unknown as SignIn)).toEqual(
      refusal(`The sign-in's ${missing.join(" and ")} must be given, as text.`, missing),
    );
    expect(world.requests).toEqual([]);
  });

  it("of signOut with null is one without options", async () => {
    await ok(device.client.signIn(credentials));
    expect(await device.client.signOut(null as never)).toEqual({ ok: true, value: { sealed: 0 } });
  });

  it("of signOut signs nobody out", async () => {
    await ok(device.client.signIn(credentials));
    const options = { unsent: "foo" } as unknown as SignOutOptions;
    expect(await device.client.signOut(options)).toEqual(
      refusal('The option unsent must be "refuse" or "seal".', ["unsent"]),
    );
    expect(await device.client.sync()).toMatchObject({ signedInAs: credentials.clientId });
  });

  it.each([
    [undefined, ["group", "members"]],
    [{}, ["group", "members"]],
    [{ group }, ["members"]],
    [{ group, members: {} }, ["members"]],
    [{ group, members: [{ individual }, individual] }, ["members"]],
    [{ group: "Diaz", members: [{ individual }] }, ["group"]],
    [{ group, members: [{ individual }], enrollIn: "Program/a|b" }, ["enrollIn"]],
  ])("of registerHousehold with %j is told what is missing, and saves nothing", async (given, missing) => {
    const outcome = await device.client.registerHousehold(given as unknown as HouseholdRegistration);
    const form = "{ group: {…}, members: [{ individual: {…} }], enrollIn: [] }";
    expect(outcome).toEqual(
      refusal(`The household's ${missing.join(" and ")} must be given as in ${form}.`, missing),
    );
    expect(await device.client.sync()).toMatchObject({ pending: 0 });
  });

  it("of create with no record is told what is missing", async () => {
    const { client } = device;
    expect(await client.individuals.create(undefined as never)).toEqual(
      refusal("The record must be given, as an object.", ["record"]),
    );
  });

  // Once, a person was made of what was meant for a group, and nothing was said.
  it("of create and registerHousehold with a record of another type saves nothing", async () => {
    const { client } = device;
    const fault = (field: string) => ({ field, code: "invalid_value", message: "must be Individual" });
    const person = { type: "Group", ...individual };
    expect(await client.individuals.create(person)).toEqual({
      ok: false,
      problem: { kind: "validation", detail: "/type: must be Individual", errors: [fault("/type")] },
    });
    const household = { group, members: [{ individual: person }] } as HouseholdRegistration;
    expect(await client.registerHousehold(household)).toMatchObject({
      problem: { kind: "validation", errors: [fault("/members/0/individual/type")] },
    });
    expect(await client.sync()).toMatchObject({ pending: 0 });
    const [typed, untyped] = [
      { type: "Individual", ...individual },
      { type: undefined, ...individual },
    ];
    for (const right of [typed, untyped]) await ok(client.individuals.create(right));
  });

  it.each<[string, object, string]>([
    ["a role", { members: [{ individual }, { individual, role: "son" }] }, "/members/1/role"],
    [
      "a role beside a member of the group's own",
      {
        group: { ...group, member: [{ entity: { reference: "Individual/a|b" } }] },
        members: [{ individual, role: "son" }],
      },
      "/members/0/role",
    ],
    ["the group", { group: { ...group, name: 7 } }, "/group/name"],
    ["a program", { enrollIn: ["P"] }, "/enrollIn/0"],
  ])("of registerHousehold with a fault in %s is told where in its own terms", async (_, wrong, field) => {
    const household = { group, members: [{ individual }], ...wrong } as HouseholdRegistration;
    const outcome = await device.client.registerHousehold(household);
    const problem = outcome.ok ? undefined : outcome.problem;
    expect(problem?.errors?.map((error) => error.field)).toContain(field);
    expect(problem?.detail).toContain(`${field}: `);
    expect(problem).not.toHaveProperty("entry");
    expect(await device.client.sync()).toMatchObject({ pending: 0 });
  });

  it("of create with a Date is told that it is to be text", async () => {
    const born = { ...individual, birthDate: new Date(0) as unknown as string };
    expect(await device.client.individuals.create(born)).toMatchObject({
      problem: { kind: "validation", detail: "/birthDate: must be text, not a Date" },
    });
  });

  it.each<[string, (client: FieldClient) => Promise<unknown>, string[]]>([
    ["exportUnsent", (client) => client.exportUnsent(undefined as never), ["passphrase"]],
    ["importUnsent", (client) => client.importUnsent("{}", undefined as never), ["passphrase"]],
    ["importUnsent", (client) => client.importUnsent({} as never, "0123456789"), ["file"]],
    ["importUnsent", (client) => client.importUnsent(undefined as never, 5 as never), ["file", "passphrase"]],
  ])("of %s is told what must be text", async (_, call, missing) => {
    await ok(device.client.signIn(credentials));
    expect(await call(device.client)).toEqual(
      refusal(`The ${missing.join(" and ")} must be given, as text.`, missing),
    );
  });

  it("of read and update is told what a reference is, what a recipe is, and which type the record has", async () => {
    const { client } = device;
    await ok(client.signIn(credentials));
    const held = await ok(client.groups.create({ groupType: "household", name: "Diaz" }));
    const { reference } = held;
    const other = {
      ok: false,
      problem: { kind: "bad-request", detail: expect.stringMatching(/is a Group, and no Individual/) },
    };
    expect(await client.individuals.read(reference)).toMatchObject(other);
    expect(await client.individuals.update(reference, () => undefined)).toMatchObject(other);
    const person = await ok(client.individuals.create(individual));
    const detail = `${person.reference} is an Individual, and no Group: give it to what reads and changes an Individual.`;
    expect(await client.groups.read(person.reference)).toMatchObject({ problem: { detail } });
    const wrong = (detail: RegExp) => ({
      problem: { kind: "bad-request", detail: expect.stringMatching(detail) },
    });
    const noText = wrong(/^The reference \(of the type object\) is not written/);
    expect(await client.groups.update(held as never, () => undefined)).toMatchObject(noText);
    expect(await client.resolve(held as never, { kind: "discard" })).toMatchObject(noText);
    expect(await client.groups.update(reference, undefined as never)).toMatchObject(wrong(/needs a recipe/));
  });

  // Once, sync() rejected with the listener's error though all was sent, and no other listener heard of it.
  it("of a listener that throws at the status ends no sync", async () => {
    const { client } = device;
    const uncaught = uncaughtLater();
    const mistake = new Error("a mistake in the app");
    client.status.subscribe(() => {
      throw mistake;
    });
    const heard: number[] = [];
    client.status.subscribe(({ pending }) => heard.push(pending));
    await ok(client.signIn(credentials));
    await ok(client.individuals.create(individual));
    expect(await client.sync()).toMatchObject({ pending: 0, lastError: null });
    expect(heard.at(-1)).toBe(0);
    expect(new Set(uncaught)).toEqual(new Set([mistake]));
    expect(() => client.status.subscribe(undefined as never)).toThrow(TypeError);
  });

  // Once, of what an async recipe gives nothing but {} was left, and of its first words all that came before it waited.
  it.each<[string, (draft: { birthDate?: string }) => Promise<unknown>]>([
    ["sets something at once", async (draft) => void Object.assign(draft, { birthDate: "1990-01-01" })],
    [
      "sets something later",
      async (draft) => {
        await Promise.resolve();
        draft.birthDate = "1990-01-01";
      },
    ],
    ["gives the record back", async (draft) => ({ ...draft, birthDate: "1990-01-01" })],
    ["fails", () => Promise.reject(new Error("no"))],
  ])("of update with an async recipe that %s saves nothing", async (_, recipe) => {
    const { client } = device;
    const { reference, record } = await ok(client.individuals.create(individual));
    const late = recipe as unknown as Recipe<typeof record>;
    for (const options of [{}, { seen: record }]) {
      expect(await client.individuals.update(reference, late, options)).toEqual({
        ok: false,
        problem: {
          kind: "bad-request",
          detail:
            "The recipe of an update must not be async: await what it needs first, then update. Nothing was saved.",
        },
      });
    }
    expect((await ok(client.individuals.read(reference))).record).toEqual(record);
  });

  it.each([
    [null, "parameters"],
    ["rey", "parameters"],
    [{ "name:start": null }, "name:start"],
    [{ "name:start": [5] }, "name:start"],
  ])("of search with %j is told how it is written", async (given, field) => {
    const sentence = `The ${field} must be given as in { "name:start": ["ana", "rey"] }.`;
    expect(await device.client.individuals.search(given as never)).toEqual(refusal(sentence, [field]));
  });

  const name = { family: "Reyes" };
  it.each<[unknown, string]>([
    [undefined, "name"],
    [{}, "name"],
    [{ name: "Reyes" }, "name"],
    [{ name: { family: 5 } }, "name"],
    [{ name, birthDate: 1990 }, "birthDate"],
    [{ name, telecom: [{ system: "phone" }] }, "telecom"],
    [{ name, identifier: {}, address: "Imus" }, "identifier and address"],
  ])("of findSimilar with %j is told what is wrong", async (given, fields) => {
    const sentence = `The person's ${fields} must be as in an Individual.`;
    expect(await device.client.findSimilar(given as never)).toEqual(refusal(sentence, fields.split(" and ")));
  });

  it("of update is none where the recipe changes its draft and gives it back", async () => {
    const { client } = device;
    const { reference } = await ok(client.individuals.create(individual));
    const updated = await client.individuals.update(reference, (draft) =>
      Object.assign(draft, { birthDate: "1990-01-01" }),
    );
    expect(updated).toMatchObject({ value: { record: { birthDate: "1990-01-01" } } });
  });
});
