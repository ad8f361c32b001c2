import { describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { everything } from "./support/guest.ts";
import { ok, personOf, system } from "./support/people.ts";
import { shown } from "./support/restored.ts";
import { createWorld, credentials, type Device, partner, type World } from "./support/world.ts";

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
  const grant = async () => {
    const subject = { reference: `Individual/${system}|N2` };
    const scope = [{ resourceType: "Individual", ...everything }];
    const terms = { subject, grantee: { organization: "Aid" }, scope } as never;
    consent = (await ok(now.view.consents.grant(terms))).id;
  };
  const revoke = (id: string) => ok(now.view.consents.revoke(id));
  await grant();
  world.moveTo(now);
  await ok(tablet.client.signIn(who));
  const office = (patch: object) =>
    ok(now.view.individuals.patch(`${system}|N2`, patch, { ifMatch: "*" }) as never);
  const grantAnew = async () => {
    const former = consent;
    await grant();
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
    { news: "an office changed her", tell: rename, as: "Reyes" },
    { news: "her consent was given anew", tell: ({ grantAnew }: Both) => grantAnew(), as: "Santos" },
  ] as const;
  const ends = [
    { end: "she is archived", leave: archive },
    { end: "her consent is withdrawn", leave: ({ withdraw }: Both) => withdraw() },
  ] as const;

  it.each(news.flatMap((one) => ends.map((other) => ({ ...one, ...other }))))(
    "is compared as she is after $news, and goes when $end",
    async ({ tell, as, leave, end }) => {
      const both = await bothHere(partner);
      const { now, tablet } = both;
      await tell(both);
      await later(now, tablet, 2);
      // Beside what waits she would stay as she was: it has the news, and shows her.
      expect(await shown(tablet)).toEqual(["Cruz"]);
      expect(await tablet.client.parked()).toMatchObject([{ theirs: { name: { family: as } } }]);
      await leave(both);
      await later(now, tablet, 3);
      expect(await shown(tablet)).toEqual(["Cruz"]);
      if (end !== "she is archived") expect(kept(tablet)).not.toContain("UNLISTED");
    },
  );

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
