import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, partner, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const ben = `Individual/${system}|BEN`;

const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { family: "Cruz", given: value },
  birthDate: "1990-01-01",
});

/** A device of an organization that sees people as far as they consent: Ana's name, and all of Ben. */
describe("a device whose client is bound by consents", () => {
  let world: World;
  let client: FieldClient;

  let whole: string;

  const grant = async (reference: string, scope: object) => {
    const terms = { subject: { reference }, grantee: { organization: "Aid" } };
    const granted = world.view.consents.grant({
      ...terms,
      scope: [{ resourceType: "Individual", ...scope }],
    });
    return (await ok(granted)).id;
  };

  beforeEach(async () => {
    world = await createWorld();
    for (const value of ["ANA", "BEN", "EVA"]) await ok(world.view.individuals.create(person(value)));
    await grant(ana, { fieldAccess: "custom", fields: ["name"] });
    whole = await grant(ben, { fieldAccess: "all" });
    client = world.device("a").client;
    await ok(client.signIn(partner));
    await client.sync();
  });

  const read = async (reference: string) => (await ok(client.individuals.read(reference))).record;
  const rename = (family: string) => (draft: { name: { family?: string } }) => {
    draft.name.family = family;
  };

  it("holds what they show, and follows it, also where the version is hidden", async () => {
    expect(await client.sync()).toMatchObject({ firstSync: { complete: true }, pending: 0, parked: 0 });
    expect(await read(ana)).toMatchObject({ name: { family: "Cruz" } });
    expect(await read(ana)).not.toHaveProperty("birthDate");
    expect(await read(ben)).toMatchObject({ birthDate: "1990-01-01" });
    expect((await client.individuals.read(`Individual/${system}|EVA`)).ok).toBe(false);
    for (const family of ["Reyes", "Santos"]) {
      await ok(world.view.individuals.patch(`${system}|ANA`, { name: { family } }, { ifMatch: "*" }));
      await client.sync();
      expect(await read(ana)).toMatchObject({ name: { family, given: "ANA" } });
    }
  });

  it("sends an edit of what shows its version, and parks one of what does not, with the reason", async () => {
    await ok(client.individuals.update(ben, rename("Reyes")));
    await ok(client.individuals.update(ana, rename("Reyes")));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect((await ok(world.view.individuals.read(`${system}|BEN`))).name.family).toBe("Reyes");
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Cruz");
    expect(await ok(client.individuals.read(ana))).toMatchObject({ state: "parked" });
  });

  it("follows consents that show more or less of one version, with an edit waiting too", async () => {
    await grant(ana, { fieldAccess: "basic" });
    await client.sync();
    expect(await read(ana)).not.toHaveProperty("birthDate");
    await grant(ana, { fieldAccess: "all" });
    await client.sync();
    expect(await read(ana)).toHaveProperty("birthDate", "1990-01-01");
    await ok(client.individuals.update(ana, rename("Reyes")));
    await client.sync();
    expect(await ok(world.view.individuals.read(`${system}|ANA`))).toMatchObject({
      name: { family: "Reyes", given: "ANA" },
      birthDate: "1990-01-01",
    });
    await ok(world.view.consents.revoke(whole));
    await grant(ben, { fieldAccess: "basic" });
    await client.sync();
    expect(await read(ben)).not.toHaveProperty("birthDate");
  });

  it.each([
    ["the name", { fieldAccess: "custom", fields: ["name"] }],
    ["the basics", { fieldAccess: "basic" }],
  ])("keeps no photo once they show %s alone, with an edit waiting too", async (_, narrow) => {
    const [photo, photographed] = [
      "data:image/jpeg;base64,/9j/2gAC/9k=",
      await grant(ana, { fieldAccess: "all" }),
    ];
    await client.sync();
    for (const value of ["ANA", "BEN"]) {
      await ok(world.view.individuals.patch(`${system}|${value}`, { photo }, { ifMatch: "*" }));
      await ok(client.individuals.update(`Individual/${system}|${value}`, rename("Reyes")));
    }
    await client.sync();
    for (const reference of [ana, ben]) expect(await read(reference)).toMatchObject({ photo });
    for (const consent of [whole, photographed]) await ok(world.view.consents.revoke(consent));
    await grant(ben, narrow);
    await grant(ana, narrow);
    await ok(client.individuals.update(ben, rename("Santos")));
    await client.sync();
    for (const reference of [ana, ben]) expect(await read(reference)).not.toHaveProperty("photo");
  });

  it("keeps no photo of a record that has nothing beyond the basics, once they show these alone", async () => {
    const photo = "data:image/jpeg;base64,/9j/2gAC/9k=";
    await ok(
      world.view.individuals.patch(
        `${system}|BEN`,
        { birthDate: null, active: true, photo },
        { ifMatch: "*" },
      ),
    );
    await client.sync();
    await ok(client.individuals.update(ben, rename("Reyes")));
    await client.sync();
    expect(await read(ben)).toMatchObject({ photo, name: { family: "Reyes" } });
    await ok(world.view.consents.revoke(whole));
    await grant(ben, { fieldAccess: "basic" });
    await client.sync();
    expect(await read(ben)).toMatchObject({ name: { family: "Reyes" }, meta: { versionId: "3" } });
    expect(await read(ben)).not.toHaveProperty("photo");
  });

  it("sends an edit of a record whose meta is hidden meanwhile, in the version that it was made on", async () => {
    await ok(client.individuals.update(ben, rename("Reyes")));
    await ok(world.view.consents.revoke(whole));
    await grant(ben, { fieldAccess: "custom", fields: ["name"] });
    await client.sync();
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|BEN`))).name.family).toBe("Reyes");
  });

  it("shows no more than they do of a record whose edit meets another one", async () => {
    await ok(client.individuals.update(ben, rename("Reyes")));
    await ok(world.view.consents.revoke(whole));
    const named = await grant(ben, { fieldAccess: "custom", fields: ["name"] });
    await ok(world.view.individuals.patch(`${system}|BEN`, { name: { family: "Santos" } }, { ifMatch: "*" }));
    expect(await client.sync()).toMatchObject({ parked: 1 });
    const parked = await client.parked();
    expect(parked).toMatchObject([
      { conflicts: [{ path: "/name/family", ours: "Reyes", theirs: "Santos" }] },
    ]);
    expect(JSON.stringify([parked, await read(ben)])).not.toContain("1990-01-01");
    await ok(world.view.consents.revoke(named));
    await grant(ben, { fieldAccess: "all" });
    await client.sync();
    const [now] = await client.parked();
    const choices = { "/name/family": "ours" } as const;
    await ok(client.resolve(ben, { kind: "choose", revision: now?.revision ?? "", choices }));
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    const record = { name: { family: "Reyes" }, birthDate: "1990-01-01" };
    expect(await ok(world.view.individuals.read(`${system}|BEN`))).toMatchObject(record);
  });

  it.each([
    ["ends", null],
    ["is narrowed", { fieldAccess: "custom", fields: ["name"] }],
  ])(
    "shows no more of whom a person was to compare with once the consent %s, outside its areas too",
    async (_, narrowed) => {
      const lives = (state: string) => ({ address: [{ type: "physical" as const, country: "PH", state }] });
      await ok(world.view.individuals.patch(`${system}|BEN`, lives("Laguna"), { ifMatch: "*" }));
      const area = world.device("b", { feeds: ["area:PH/Cavite"] }).client;
      await ok(area.signIn(partner));
      await area.sync();
      const typed = { ...person("BEN"), birthDate: "1980-02-02", ...lives("Cavite") };
      await ok(area.individuals.create(typed));
      await area.sync();
      expect(await area.parked()).toMatchObject([
        { reason: "duplicate", theirs: { birthDate: "1990-01-01" } },
      ]);
      await ok(world.view.consents.revoke(whole));
      if (narrowed) await grant(ben, narrowed);
      world.pass(86_400_000);
      expect(await area.sync()).toMatchObject({ parked: 1 });
      const [now] = await area.parked();
      expect(now?.theirs?.name).toEqual(narrowed ? expect.objectContaining({ family: "Cruz" }) : undefined);
      expect(JSON.stringify(now)).not.toMatch(/1990-01-01|Laguna/);
    },
  );

  it("knows a change whose answer was lost, also where the version is hidden by the time it is repeated", async () => {
    let lost = false;
    const losing =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const answer = await send(url, init);
        if (init.method !== "PATCH" || lost) return answer;
        lost = true;
        await ok(world.view.consents.revoke(whole));
        await grant(ben, { fieldAccess: "custom", fields: ["name"] });
        throw new TypeError("connection reset");
      };
    const other = world.device("b", { network: losing }).client;
    await ok(other.signIn(partner));
    await other.sync();
    await ok(other.individuals.update(ben, rename("Reyes")));
    await other.sync();
    expect(await other.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|BEN`))).meta.versionId).toBe("2");
    expect((await ok(other.individuals.read(ben))).record).toMatchObject({ name: { family: "Reyes" } });
  });

  it("takes an echo of what it sent for no answer", async () => {
    let echoes = 0;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        if (init.method !== "POST" || !url.includes("/Individual") || ++echoes > 1) return send(url, init);
        return new Response(init.body, { status: 201, headers: { "content-type": "application/json" } });
      };
    const other = world.device("b", { network }).client;
    await ok(other.signIn(partner));
    await ok(other.individuals.create(person("NEW")));
    expect(await other.sync()).toMatchObject({ parked: 0 });
    expect((await world.view.individuals.read(`${system}|NEW`)).ok).toBe(false);
    world.pass(3_600_000);
    expect(await other.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|NEW`))).birthDate).toBe("1990-01-01");
    expect(echoes).toBe(2);
  });

  it("registers somebody whom it may not see afterwards, once", async () => {
    await ok(client.individuals.create(person("NEW")));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    await client.sync();
    expect((await ok(world.view.individuals.read(`${system}|NEW`))).birthDate).toBe("1990-01-01");
    expect(world.requests.filter((line) => line.startsWith("POST /api/v2/Individual"))).toHaveLength(1);
  });

  it("gives up a household of people whom it may not see, with the enrollment that waits for it", async () => {
    const program = { system: "urn:test:program", value: "AID" };
    await ok(
      world.view.programs.create({
        type: "Program",
        identifier: [program],
        name: "Aid",
        targetType: "group",
      }),
    );
    await client.sync();
    const { group, memberships } = await ok(
      client.registerHousehold({
        group: { groupType: "household", name: "Cruz", active: true },
        members: [{ individual: { active: true, name: { family: "Cruz", given: "New" } } }],
        enrollIn: [`Program/${program.system}|${program.value}`],
      }),
    );
    const [enrollment] = memberships;
    expect(await client.sync()).toMatchObject({ parked: 1, pending: 1 });
    const refused = await client.resolve(group.reference, { kind: "discard" });
    expect(refused).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    await ok(client.resolve(enrollment?.reference ?? "", { kind: "discard" }));
    await ok(client.resolve(group.reference, { kind: "discard" }));
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect((await client.groups.read(group.reference)).ok).toBe(false);
  });

  it("gives up nothing that is on the server", async () => {
    const { reference } = await ok(client.individuals.create(person("NEW")));
    expect((await client.sync()).pending).toBe(0);
    const refused = await client.resolve(reference, { kind: "discard" });
    expect(refused).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    expect((await ok(world.view.individuals.read(`${system}|NEW`))).name.given).toBe("NEW");
  });
});
