import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, type Device, partner, type World } from "./support/world.ts";

const passphrase = "correct horse battery";
const ben = `Individual/${system}|BEN`;

/** Two tablets of one person, and a file that goes from the first to the second. */
describe("work in a file, and what the other tablet knows", () => {
  let world: World;
  let a: Device;
  let b: Device;

  const signIn = async (as: typeof credentials) => {
    [a, b] = [world.device("a"), world.device("b")];
    for (const { client } of [a, b]) {
      await ok(client.signIn(as));
      await client.sync();
    }
  };
  const call = ({ client }: Device, value: string, reference = ben) =>
    ok(
      client.individuals.update(reference, (draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
      }),
    );
  const carry = async (from: Device, to: Device) => {
    const { file } = await ok(from.client.exportUnsent(passphrase));
    return ok(to.client.importUnsent(file, passphrase));
  };
  const asOffice = (patch: object) =>
    ok(world.view.individuals.patch(`${system}|BEN`, patch, { ifMatch: "*" }));
  const onServer = async () =>
    (await ok(world.view.individuals.search())).data.map(({ name, telecom }) =>
      [name.given, ...(telecom ?? []).map(({ value }) => value)].join(" "),
    );
  const shownBy = async ({ client }: Device) =>
    (await ok(client.individuals.search())).data.map(({ record: { name, telecom } }) =>
      [name.given, ...(telecom ?? []).map(({ value }) => value)].join(" "),
    );
  /** Registered on one tablet, known to both. */
  const registered = async () => {
    const { reference } = await ok(a.client.individuals.create({ name: { given: "Jo" } }));
    for (const { client } of [a, b]) expect(await client.sync()).toMatchObject(settled);
    return reference;
  };

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(personOf("BEN", { given: "Ben" })));
  });

  it.each([
    ["the tablet that made it", () => [a, b]],
    ["another one", () => [b, a]],
  ] as const)("is of the record under its key there, from %s", async (_, way) => {
    await signIn(credentials);
    const reference = await registered();
    const [from, to] = way() as [Device, Device];
    from.online = false;
    await call(from, "1", reference);
    expect(await carry(from, to)).toEqual({ restored: 1, sealed: 0 });
    expect(await shownBy(to)).toEqual(["Ben", "Jo 1"]);
    expect(await to.client.sync()).toMatchObject(settled);
    expect(await onServer()).toEqual(["Ben", "Jo 1"]);
    const [system, value] = reference.slice(reference.indexOf("/") + 1).split("|");
    await ok(world.view.individuals.patch(`${system}|${value}`, { active: false }, { ifMatch: "*" }));
    await to.client.sync();
    expect(await shownBy(to)).toEqual(["Ben"]);
    expect((await to.client.individuals.read(reference)).ok).toBe(false);
  });

  it("comes back by itself once the record has no other unsent work", async () => {
    await signIn(credentials);
    const reference = await registered();
    for (const device of [a, b]) device.online = false;
    await call(b, "2", reference);
    await call(a, "1", reference);
    expect(await carry(a, b)).toEqual({ restored: 0, sealed: 1 });
    b.online = true;
    await b.client.sync();
    expect(await b.client.sync()).toMatchObject(settled);
    expect(await onServer()).toEqual(["Ben", "Jo 2 1"]);
    expect(await shownBy(b)).toEqual(["Ben", "Jo 2 1"]);
  });

  it("does not put an older copy over a newer one", async () => {
    await signIn(credentials);
    a.online = false;
    await call(a, "1");
    await asOffice({ name: { family: "Cruz", given: "Benny" } });
    await b.client.sync();
    b.online = false;
    expect(await carry(a, b)).toEqual({ restored: 1, sealed: 0 });
    b.online = true;
    expect(await b.client.sync()).toMatchObject(settled);
    expect(await shownBy(b)).toEqual(["Benny 1"]);
    expect(await onServer()).toEqual(["Benny 1"]);
  });

  it("leaves nothing behind where the newer copy says it all", async () => {
    await signIn(credentials);
    a.online = false;
    await ok(
      a.client.individuals.update(ben, (draft) => {
        draft.birthDate = "1990-01-01";
      }),
    );
    await ok(a.client.exportUnsent(passphrase));
    await asOffice({ birthDate: "1990-01-01", name: { given: "Benny" } });
    await b.client.sync();
    await carry(a, b);
    expect(await b.client.sync()).toMatchObject(settled);
    expect(await shownBy(b)).toEqual(["Benny"]);
    expect(await ok(b.client.individuals.read(ben))).toMatchObject({ state: "synced" });
    expect(await onServer()).toEqual(["Benny"]);
  });

  it.each([
    ["before", false],
    ["after", true],
  ])("is not done a second time, where it was undone %s the other tablet heard of it", async (_, heard) => {
    await signIn(credentials);
    a.online = false;
    await call(a, "1");
    const { file } = await ok(a.client.exportUnsent(passphrase));
    a.online = true;
    expect(await a.client.sync()).toMatchObject(settled);
    await asOffice({ telecom: null });
    if (heard) await b.client.sync();
    await ok(b.client.importUnsent(file, passphrase));
    for (const { client } of [b, a]) expect(await client.sync()).toMatchObject(settled);
    expect(await onServer()).toEqual(["Ben"]);
    for (const device of [a, b]) expect(await shownBy(device)).toEqual(["Ben"]);
  });

  it("registers a household once, from either tablet, in an order that the server takes", async () => {
    await signIn(credentials);
    a.online = false;
    await ok(
      a.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Household" },
        members: [{ individual: { active: true, name: { given: "Jo" } } }],
      }),
    );
    const { file } = await ok(a.client.exportUnsent(passphrase));
    await call(a, "1", (await ok(a.client.individuals.search({ name: "jo" }))).data[0]?.reference);
    a.online = true;
    expect(await a.client.sync()).toMatchObject(settled);
    await ok(b.client.importUnsent(file, passphrase));
    expect(await b.client.sync()).toMatchObject(settled);
    expect(await onServer()).toEqual(["Ben", "Jo 1"]);
    expect((await ok(world.view.groups.search())).data).toMatchObject([{ quantity: 1 }]);
    for (const device of [a, b]) expect(await shownBy(device)).toEqual(["Ben", "Jo 1"]);
  });

  it("does not bring back for good who withdrew the consent", async () => {
    const terms = { subject: { reference: ben }, grantee: { organization: "Aid" } };
    const scope = [{ resourceType: "Individual" as const, fieldAccess: "all" as const }];
    const { id } = await ok(world.view.consents.grant({ ...terms, scope }));
    await signIn(partner);
    expect(await shownBy(b)).toEqual(["Ben"]);
    a.online = false;
    await call(a, "1");
    await ok(world.view.consents.revoke(id, { reason: "asked for it" }));
    await b.client.sync();
    expect(await shownBy(b)).toEqual([]);
    await carry(a, b);
    expect(await b.client.sync()).toMatchObject({ parked: 1 });
    await ok(b.client.resolve(ben, { kind: "discard" }));
    await b.client.sync();
    expect(await shownBy(b)).toEqual([]);
    expect(await onServer()).toEqual(["Ben"]);
  });
});
