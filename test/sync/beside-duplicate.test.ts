import { createMemoryStore } from "@fieldroll/core";
import { createFieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { custom, everything, type Scope } from "./support/guest.ts";
import { mortal } from "./support/mortal.ts";
import { ok, personOf, system } from "./support/people.ts";
import { shown } from "./support/restored.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, type Device, partner, root, type World } from "./support/world.ts";

const hour = 3_600_000;
const ana = { ...personOf("N2", { family: "Cruz", given: "Ana" }), birthDate: "1980-01-01" };
const telecom = [{ system: "phone", value: "UNLISTED" }];
const bea = { ...personOf("N2", { family: "Santos", given: "Bea" }), birthDate: "1970-01-01", telecom };

/** A restored server has lost Ana, and has Bea under her number: both are on the tablet, and Ana waits for a person. */
async function bothHere(who: typeof credentials) {
  const world = await createWorld();
  const tablet = world.device("a");
  await ok(tablet.client.signIn(who));
  await run(tablet, 1);
  await ok(tablet.client.individuals.create(ana));
  await run(tablet, 1);
  const now = await createWorld();
  now.pass(200 * hour);
  await ok(now.view.individuals.create(bea as never));
  let consent = "";
  const grant = async (shows: Scope = everything) => {
    const subject = { reference: `Individual/${system}|N2` };
    const scope = [{ resourceType: "Individual", ...shows }];
    const terms = { subject, grantee: { organization: "Aid" }, scope } as never;
    consent = (await ok(now.view.consents.grant(terms))).id;
  };
  const revoke = (id: string) => ok(now.view.consents.revoke(id));
  await grant();
  world.moveTo(now);
  await ok(tablet.client.signIn(who));
  const office = (patch: object) =>
    ok(now.view.individuals.patch(`${system}|N2`, patch, { ifMatch: "*" }) as never);
  const grantAnew = async (shows: Scope = everything) => {
    const former = consent;
    await grant(shows);
    await revoke(former);
  };
  await later(now, tablet, 3);
  expect(await shown(tablet)).toEqual(["Cruz", "Santos UNLISTED"]);
  expect(await tablet.client.parked()).toMatchObject([{ reason: "duplicate" }]);
  return { now, tablet, office, grantAnew, withdraw: () => revoke(consent) };
}

async function later(now: World, { client }: Device, times: number) {
  for (let nth = 0; nth < times; nth++) {
    now.pass(26 * hour);
    await client.sync();
  }
}

type Both = Awaited<ReturnType<typeof bothHere>>;

const kept = ({ medium }: Device) =>
  JSON.stringify([...medium.collections.values()].flatMap((each) => [...each.values()]));

describe("somebody whose number one has who waits for a person", () => {
  const rename = ({ office }: Both) => office({ name: { family: "Reyes", given: "Bea" } });
  const archive = ({ office }: Both) => office({ active: false });
  const news = [
    { news: "an office changed her", tell: rename, as: "Reyes UNLISTED" },
    { news: "her consent was given anew", tell: ({ grantAnew }: Both) => grantAnew(), as: "Santos UNLISTED" },
  ] as const;
  const ends = [
    { end: "she is archived", leave: archive },
    { end: "her consent is withdrawn", leave: ({ withdraw }: Both) => withdraw() },
  ] as const;

  it.each(news.flatMap((one) => ends.map((other) => ({ ...one, ...other }))))(
    "is up to date after $news, here and in what is compared, and goes when $end",
    async ({ tell, as, leave, end }) => {
      const both = await bothHere(partner);
      const { now, tablet } = both;
      await tell(both);
      await later(now, tablet, 2);
      expect(await shown(tablet)).toEqual(["Cruz", as]);
      expect(await tablet.client.parked()).toMatchObject([
        { theirs: { name: { family: as.split(" ")[0] } } },
      ]);
      await leave(both);
      await later(now, tablet, 3);
      expect(await shown(tablet)).toEqual(["Cruz"]);
      // The server goes on showing whom it has archived to whoever asks for the number, until a consent ends.
      if (end === "she is archived") await both.withdraw();
      await later(now, tablet, 3);
      expect(kept(tablet)).not.toContain("UNLISTED");
      expect(await tablet.client.parked()).toMatchObject([{ reason: "duplicate" }]);
    },
  );

  it("is not kept to be compared with what consents hide by now, when her number was corrected as well", async () => {
    const { now, tablet, office, grantAnew } = await bothHere(partner);
    await grantAnew(custom("name", "active", "meta"));
    await office({ identifier: [{ system, value: "N5" }] });
    now.pass(3_600_000);
    await tablet.client.sync();
    expect(kept(tablet)).not.toContain("UNLISTED");
    expect(await shown(tablet)).toEqual(["Cruz", "Santos"]);
  });

  it("is opened like anybody else, and changed once that one is decided on", async () => {
    const { now, tablet } = await bothHere(credentials);
    const { client } = tablet;
    const opened = async () => {
      const [{ reference } = { reference: "" }] = (await ok(client.individuals.search({ name: "Santos" })))
        .data;
      expect((await ok(client.individuals.read(reference))).record.name.given).toBe("Bea");
      return client.individuals.update(reference, (draft) => {
        draft.telecom = [{ system: "phone", value: "1" }];
      });
    };
    expect(await opened()).toMatchObject({
      problem: { detail: expect.stringContaining("waits for a decision") },
    });
    const [{ reference } = { reference: "" }] = await client.parked();
    await ok(client.resolve(reference, { kind: "discard" }));
    await later(now, tablet, 1);
    await ok(opened());
    await later(now, tablet, 1);
    expect(await shown(tablet)).toEqual(["Santos 1"]);
    expect((await ok(now.view.individuals.read(`${system}|N2`))).telecom).toMatchObject([{ value: "1" }]);
  });

  it("is not written again while there is no news of her", async () => {
    const { now, tablet } = await bothHere(credentials);
    const versions = () =>
      ["Individual", "outbox"].map((collection) =>
        [...(tablet.medium.collections.get(collection)?.values() ?? [])].map(({ version }) => version),
      );
    const before = versions();
    for (let nth = 0; nth < 2; nth++) {
      now.pass(60_000);
      await tablet.client.sync();
    }
    expect(versions()).toEqual(before);
  });

  it("changes in one commit with what is compared, wherever the tablet is cut off", async () => {
    const { now, tablet, office } = await bothHere(credentials);
    await office({ name: { family: "Reyes", given: "Bea" } });
    let died = true;
    for (let at = 1; died; at++) {
      died = false;
      const medium = structuredClone(tablet.medium);
      const doomed = createFieldClient({
        ...{ server: root, fetch: now.send, clock: now.now, random: () => 0, newId: v7 },
        ...{ timers: { set: () => () => undefined }, lock: processLock(), automatic: false },
        store: mortal(createMemoryStore({ medium }), { at, side: "after" }, () => {
          died = true;
        }),
      });
      await Promise.race([doomed.sync(), turns(now.busy)]);
      const told = ["Individual", "outbox"].map((collection) =>
        JSON.stringify([...(medium.collections.get(collection)?.values() ?? [])]).includes("Reyes"),
      );
      if (died)
        expect([
          [false, false],
          [true, true],
        ]).toContainEqual(told);
      else expect([at > 3, told]).toEqual([true, [true, true]]);
    }
  });

  it("is compared as she is by now, and found by the number once that one is given up", async () => {
    const both = await bothHere(credentials);
    await rename(both);
    await later(both.now, both.tablet, 1);
    const { client } = both.tablet;
    const [{ reference = "", theirs = null } = {}] = await client.parked();
    expect(theirs).toMatchObject({ name: { family: "Reyes" } });
    await ok(client.resolve(reference, { kind: "discard" }));
    await later(both.now, both.tablet, 1);
    expect(await shown(both.tablet)).toEqual(["Reyes UNLISTED"]);
    expect((await ok(client.individuals.read(`Individual/${system}|N2`))).record.name.family).toBe("Reyes");
  });

  it("goes where she had another number before", async () => {
    const world = await createWorld();
    const tablet = world.device("a");
    await ok(world.view.individuals.create({ ...bea, identifier: [{ system, value: "N3" }] } as never));
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    tablet.online = false;
    await ok(tablet.client.individuals.create(ana));
    const office = (number: string, patch: object) =>
      ok(world.view.individuals.patch(`${system}|${number}`, patch as never, { ifMatch: "*" }));
    await office("N3", { identifier: [{ system, value: "N2" }] });
    tablet.online = true;
    await run(tablet, 2);
    expect(await tablet.client.parked()).toMatchObject([{ reason: "duplicate" }]);
    await office("N2", { active: false });
    await run(tablet, 2);
    expect(await shown(tablet)).toEqual(["Cruz"]);
  });
});
