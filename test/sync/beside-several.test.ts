import type { Fetch } from "@fieldroll/sync";
import { expect, it } from "vitest";
import { everything } from "./support/guest.ts";
import { ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { call, edit, shown } from "./support/restored.ts";
import { createWorld, credentials, partner } from "./support/world.ts";

const second = "urn:test:second";
const number = (value: string, space = system) => ({ system: space, value });
const person = (given: string, ...identifier: object[]) =>
  ({ ...personOf("", { family: given, given }), identifier }) as never;
const at = (value: string, space = system) => `Individual/${space}|${value}`;

type Network = (send: Fetch) => Fetch;

/** A tablet with people of the server, out of reach. */
async function away(
  people: readonly { given: string; number: string; also?: string }[],
  { who = credentials, network = (send) => send }: { who?: typeof credentials; network?: Network } = {},
) {
  const world = await createWorld();
  const tablet = world.device("a", { network });
  const grants = new Map<string, string>();
  for (const { given, number: value, also } of people) {
    const others = also ? [number(also, second)] : [];
    await ok(world.view.individuals.create(person(given, number(value), ...others)));
    const scope = [{ resourceType: "Individual", ...everything }];
    const terms = { subject: { reference: at(value) }, grantee: { organization: "Aid" }, scope } as never;
    grants.set(given, (await ok(world.view.consents.grant(terms))).id);
  }
  await ok(tablet.client.signIn(who));
  await tablet.client.sync();
  expect(await shown(tablet)).toEqual(people.map(({ given }) => given).sort());
  tablet.online = false;
  return {
    ...{ world, tablet },
    make: (given: string, ...identifier: object[]) =>
      ok(tablet.client.individuals.create(person(given, ...identifier))),
    office: (value: string, patch: object) =>
      ok(world.view.individuals.patch(`${system}|${value}`, patch as never, { ifMatch: "*" })),
    withdraw: (given: string) => ok(world.view.consents.revoke(grants.get(given) ?? "")),
    runs: async (times: number, hours = 1) => {
      tablet.online = true;
      for (let nth = 0; nth < times; nth++) {
        world.pass(hours * 3_600_000);
        await tablet.client.sync();
      }
    },
    parked: async () =>
      (await tablet.client.parked()).map(({ reason, reference, theirs }) => ({
        ...{ reason, reference },
        beside: (theirs as { name?: { family: string } } | null)?.name?.family,
      })),
  };
}

it("whoever got the numbers of two who were made on a tablet is up to date there beside both, and goes", async () => {
  const { tablet, make, office, withdraw, runs, parked } = await away([{ given: "Bea", number: "N9" }], {
    who: partner,
  });
  await make("Ana", number("N2"));
  await make("Cora", number("S2", second));
  await office("N9", { identifier: [number("N2"), number("S2", second)] });
  await runs(2);
  expect(await shown(tablet)).toEqual(["Ana", "Bea", "Cora"]);
  await office("N2", { name: { family: "Reyes", given: "Bea" } });
  await runs(2, 26);
  expect(await shown(tablet)).toEqual(["Ana", "Cora", "Reyes"]);
  expect(await parked()).toEqual([
    { reason: "duplicate", reference: at("N2"), beside: "Reyes" },
    { reason: "duplicate", reference: at("S2", second), beside: "Reyes" },
  ]);
  await withdraw("Bea");
  await runs(3, 26);
  expect(await shown(tablet)).toEqual(["Ana", "Cora"]);
  expect(JSON.stringify([...tablet.medium.collections.values()].map((each) => [...each]))).not.toContain(
    "Reyes",
  );
});

it("two who got the two numbers of one who was made on a tablet are both up to date, and found by them after", async () => {
  const { tablet, make, office, runs, parked } = await away([
    { given: "Bea", number: "N8" },
    { given: "Dan", number: "N9" },
  ]);
  const { reference } = await make("Ana", number("N2"), number("S2", second));
  await office("N8", { identifier: [number("N2")], name: { family: "Reyes", given: "Bea" } });
  await office("N9", { identifier: [number("S2", second)], name: { family: "Lim", given: "Dan" } });
  await runs(3);
  expect(await shown(tablet)).toEqual(["Ana", "Lim", "Reyes"]);
  expect(await parked()).toMatchObject([{ reason: "duplicate", reference }]);
  await ok(tablet.client.resolve(reference, { kind: "discard" }));
  await runs(1);
  expect(await shown(tablet)).toEqual(["Lim", "Reyes"]);
  const found = [at("N2"), at("S2", second)].map((each) => ok(tablet.client.individuals.read(each)));
  expect((await Promise.all(found)).map(({ record }) => record.name.given)).toEqual(["Bea", "Dan"]);
});

it("whoever has unsent edits keeps them, and has the news, beside one who was made with the number that she got", async () => {
  const { world, tablet, make, office, runs, parked } = await away([{ given: "Bea", number: "N9" }]);
  await edit(tablet, call("1"), at("N9"));
  const { reference } = await make("Ana", number("N2"));
  await office("N9", { identifier: [number("N2")], name: { family: "Reyes", given: "Bea" } });
  await runs(3);
  expect(await shown(tablet)).toEqual(["Ana", "Reyes 1"]);
  expect(await parked()).toEqual([{ reason: "duplicate", reference, beside: "Reyes" }]);
  expect(tablet.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 1 });
  const there = await ok(world.view.individuals.read(`${system}|N2`));
  expect(there.telecom).toMatchObject([{ value: "1" }]);
});

it("whoever has no number left but that of one who was made on a tablet is up to date at a server without feeds", async () => {
  const people = [{ given: "Bea", number: "N9", also: "S2" }];
  const { tablet, make, office, runs, parked } = await away(people, { network: (send) => plain(send) });
  const { reference } = await make("Ana", number("N2"));
  await office("N9", { identifier: [number("N2"), number("S2", second)] });
  await runs(2);
  expect(await shown(tablet)).toEqual(["Ana", "Bea"]);
  await office("N2", { identifier: [number("N2")] });
  await runs(1);
  await office("N2", { name: { family: "Reyes", given: "Bea" } });
  await runs(2);
  expect(await shown(tablet)).toEqual(["Ana", "Reyes"]);
  expect(await parked()).toEqual([{ reason: "duplicate", reference, beside: "Reyes" }]);
  await office("N2", { active: false });
  await runs(10, 26);
  expect(await shown(tablet)).toEqual(["Ana"]);
});

it("unsent work means whoever is registered, also beside one who was made with the number that she got", async () => {
  const people = [
    { given: "Bea", number: "N1" },
    { given: "Dan", number: "N2" },
  ];
  const { world, tablet, make, office, runs, parked } = await away(people);
  tablet.online = true;
  const member = [{ entity: { reference: at("N1") } }];
  await ok(
    world.view.groups.create({
      ...{ type: "Group", identifier: [number("HOME")], groupType: "household", name: "Home" },
      member,
    } as never),
  );
  await runs(1);
  tablet.online = false;
  await ok(
    tablet.client.groups.update(`Group/${system}|HOME`, (draft) => {
      draft.member = [...(draft.member ?? []), { entity: { reference: at("N2") } }];
    }),
  );
  const { reference } = await make("Ana", number("N3"));
  // The household is told of as well, for whom it has goes by another number.
  await office("N1", { identifier: [number("N4")] });
  await office("N2", { identifier: [number("N3")] });
  await runs(2);
  expect(await parked()).toEqual([{ reason: "duplicate", reference, beside: "Dan" }]);
  expect(tablet.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 1 });
  const home = await ok(world.view.groups.read(`${system}|HOME`));
  expect(home.member?.map(({ entity }) => entity.reference)).toEqual([at("N4"), at("N3")]);
  await ok(tablet.client.resolve(reference, { kind: "discard" }));
  await runs(1);
  expect(await shown(tablet)).toEqual(["Bea", "Dan"]);
});
