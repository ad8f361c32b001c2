import type { Individual } from "@fieldroll/core";
import { expect, it } from "vitest";
import { createGuest, custom, everything, restoredAs } from "./support/guest.ts";
import { ok, system } from "./support/people.ts";
import { createWorld, partner, restoredFrom } from "./support/world.ts";

const phone = (value: string) => ({ system: "phone", value }) as const;
const add = (value: string) => (draft: Individual) => {
  draft.telecom = [...(draft.telecom ?? []), phone(value)];
};
const without = (value: string) => (draft: Individual) => {
  draft.telecom = (draft.telecom ?? []).filter((each) => each.value !== value);
};
const called = (given: string) => (draft: Individual) => {
  draft.name = { ...draft.name, given };
};
const born = (birthDate: string) => (draft: Individual) => {
  draft.birthDate = birthDate;
};

/** Whom the office has with a phone of its own. */
const guestOf = () => createGuest({ record: { telecom: [phone("OFFICE")], birthDate: "1980-08-08" } });
type Guest = Awaited<ReturnType<typeof createGuest>>;

/** Edits that arrive one after the other. */
async function arrive({ edit, sync }: Guest, ...changes: readonly ((draft: Individual) => void)[]) {
  for (const change of changes) {
    await edit(change);
    await sync();
  }
}

/** What the server has of her in the end, and what waits for a person. */
async function outcome({ there, client, waits }: Guest, now: Parameters<Guest["there"]>[0]) {
  const { telecom = [], name, birthDate } = await there(now);
  const parked = await client.parked();
  expect(waits()).toBe(parked.length);
  return {
    is: [...telecom.map(({ value }) => value), name.given, birthDate].join(" ").replace(/ +/g, " "),
    asked: parked.map(({ detail, conflicts }) => [
      detail.split(";")[0]?.slice(0, 35),
      ...conflicts.map(({ path }) => path),
    ]),
  };
}

const undone = "The change may have reached the ser";

/** What happened to one who is hidden when her server is read anew, and shown again later: her changes are compared one by one. */
interface Case {
  readonly before?: readonly ((draft: Individual) => void)[];
  /** By the office, seen here before the backup. */
  readonly office?: object;
  readonly after?: readonly ((draft: Individual) => void)[];
  /** While she is hidden. */
  readonly typed?: readonly ((draft: Individual) => void)[];
  /** What consents show before they show all. */
  readonly part?: Parameters<Guest["show"]>[0];
  readonly is: string;
  readonly asked?: readonly (readonly string[])[];
}

const cases: Readonly<Record<string, Case>> = {
  "a phone that was taken out again after the backup, is taken out": {
    before: [add("2")],
    after: [without("2")],
    is: "OFFICE 1980-08-08",
  },
  "a phone taken out again, and a name typed meanwhile, are both as they were made": {
    before: [add("2")],
    after: [without("2")],
    typed: [called("Anna")],
    is: "OFFICE Anna 1980-08-08",
  },
  "a change that the office took back before the backup, is asked about": {
    before: [add("2")],
    office: { telecom: [phone("OFFICE")] },
    after: [called("Anna")],
    is: "OFFICE 1980-08-08",
    asked: [[undone]],
  },
  "a name that is typed over one that was lost, is no question": {
    after: [called("Anna")],
    typed: [called("Maria")],
    is: "OFFICE Maria 1980-08-08",
  },
  "a name that is typed over one that the server has, makes nobody else of her": {
    before: [called("Anna")],
    after: [add("2")],
    typed: [called("Maria")],
    is: "OFFICE 2 Maria 1980-08-08",
  },
  "a change that was lost, waits while she is shown in part": {
    before: [add("2")],
    after: [without("2"), born("1981-01-01")],
    part: custom("name"),
    is: "OFFICE 1981-01-01",
  },
};

it.each(Object.entries(cases))(
  "of one whom no consent shows when her server is read anew: %s",
  async (_, { before = [], office, after = [], typed = [], part, is, asked = [] }) => {
    const guest = await guestOf();
    const { client, sync, show } = guest;
    await arrive(guest, ...before);
    if (office) await guest.office(office);
    await sync();
    const backup = structuredClone(guest.world.medium);
    await arrive(guest, ...after);
    const now = await restoredAs(guest, backup, null);
    expect(client.status.current.awaitingConsent.records).toBe(1);
    for (const change of typed) await guest.edit(change);
    await sync();
    if (part) {
      await show(part, now);
      await sync(2);
      expect(client.status.current.awaitingConsent.records).toBe(1);
    }
    await show(everything, now);
    await sync(3, 26);
    expect(await outcome(guest, now)).toEqual({ is, asked });
    expect(client.status.current.awaitingConsent.records).toBe(0);
  },
);

/** Once, the whole of a list was told that somebody else had taken an item out of since. */
it("tells of no list what was in it when an earlier change was made", async () => {
  const guest = await guestOf();
  const { client, sync } = guest;
  const backup = structuredClone(guest.world.medium);
  await arrive(guest, add("2"));
  await guest.office({ telecom: [phone("2")] });
  await sync();
  await arrive(guest, without("2"));
  await restoredAs(guest, backup, null);
  const told = [await client.explain(guest.ana), await client.diagnostics(), await guest.said()];
  expect(JSON.stringify(told)).not.toContain("OFFICE");
});

/** Once, it was given again all the same, for only unsent edits counted as made since. */
it("is asked about where an edit took it back that arrived while she was shown in part", async () => {
  const guest = await guestOf();
  await arrive(guest, called("Anna"));
  const backup = structuredClone(guest.world.medium);
  await arrive(guest, add("2"));
  await guest.edit(without("2"));
  const now = await restoredAs(guest, backup, custom("telecom", "meta"));
  await guest.sync();
  await guest.show(everything, now);
  await guest.sync(3, 26);
  expect(await outcome(guest, now)).toEqual({ is: "OFFICE Anna 1980-08-08", asked: [[undone]] });
});

/** Once, it was given again unasked where the rest waited for a decision as she was shown in part. */
it("is asked about where the office took it back before the backup, beside what waits for a decision", async () => {
  const guest = await guestOf();
  await arrive(guest, add("2"));
  await guest.office({ telecom: [phone("OFFICE")] });
  await guest.sync();
  const backup = structuredClone(guest.world.medium);
  await arrive(guest, called("Anna"));
  await guest.edit(called("Maria"));
  const now = await restoredAs(guest, backup, custom("name"));
  await guest.show(everything, now);
  await guest.sync(3, 26);
  expect(await outcome(guest, now)).toEqual({ is: "OFFICE 1980-08-08", asked: [[undone]] });
});

/** Once, deciding on the conflict sent the rest unasked. */
it("goes on being asked about in each place where news makes a conflict of something else", async () => {
  const guest = await guestOf();
  const backup = structuredClone(guest.world.medium);
  await arrive(guest, add("2"));
  await guest.edit(without("2"));
  const now = await restoredAs(guest, backup, custom("name"));
  await guest.show(custom("telecom", "meta"), now);
  await guest.sync(2);
  await guest.edit(born("1981-01-01"));
  await guest.show(everything, now);
  await guest.sync(2);
  const conflict = "Someone else changed the same field";
  expect(await outcome(guest, now)).toEqual({
    is: "OFFICE 1980-08-08",
    asked: [[conflict, "/birthDate", "/telecom/1"]],
  });
  const [parked] = await guest.client.parked();
  const choices = { "/birthDate": "ours", "/telecom/1": "theirs" } as const;
  const { reference = "", revision = "" } = parked ?? {};
  await ok(guest.client.resolve(reference, { kind: "choose", choices, revision }));
  await guest.sync(2);
  expect(await outcome(guest, now)).toEqual({ is: "OFFICE 1981-01-01", asked: [] });
});

/** Once, it was taken for what others had changed, or for what may have been taken back here. */
it.each(["unsent at the restore", "typed after it"])(
  "a name that is typed over one that was lost, is no question while she is shown in part: %s",
  async (when) => {
    const guest = await guestOf();
    const backup = structuredClone(guest.world.medium);
    await arrive(guest, add("2"), called("Anna"));
    if (when.startsWith("unsent")) await guest.edit(called("Maria"));
    const now = await restoredAs(guest, backup, custom("name", "meta"));
    if (when.startsWith("typed")) await guest.edit(called("Maria"));
    await guest.sync(2);
    expect(await outcome(guest, now)).toEqual({ is: "OFFICE Maria 1980-08-08", asked: [] });
    await guest.show(everything, now);
    await guest.sync(3, 26);
    expect(await outcome(guest, now)).toEqual({ is: "OFFICE 2 Maria 1980-08-08", asked: [] });
  },
);

it.each([
  [
    "as it was, in a version that was not seen here",
    [{ given: "Off" }, { given: null }],
    "OFFICE 1980-08-08",
  ],
  ["otherwise", [{ given: "Off" }], "OFFICE Off 1980-08-08"],
])("is a question where the office has the name %s", async (_, given, is) => {
  const guest = await guestOf();
  const backup = await restoredFrom(guest.world.medium);
  await arrive(guest, add("2"), called("Anna"));
  await guest.edit(called("Maria"));
  for (const name of [{ given: "Other" }, ...given]) {
    const patch = { name } as Partial<Individual>;
    await ok(backup.view.individuals.patch(guest.ana.slice("Individual/".length), patch, { ifMatch: "*" }));
  }
  const now = await restoredAs(guest, backup.medium, custom("name", "meta"));
  const conflict = "Someone else changed the same field";
  expect(await outcome(guest, now)).toEqual({ is, asked: [[conflict, "/name/given"]] });
});

const ana = { name: { family: "Cruz", given: "Ana" }, birthDate: "1980-01-01" };
const bea = { name: { family: "Santos", given: "Bea" }, birthDate: "1970-01-01" };

/** Once, somebody else got the phone: her name and her birth date were hidden, and her number was the same. */
it.each([
  { what: "somebody else", who: bea, said: ["OFFICE"], here: ["Ana 1", "Bea OFFICE"], waits: ["duplicate"] },
  { what: "herself", who: ana, said: ["OFFICE", "1"], here: ["Ana OFFICE 1"], waits: [] },
])(
  "whoever has her number is given nothing while nothing tells who that is: $what",
  async ({ who, said, here, waits }) => {
    const guest = await createGuest({ record: { ...ana, identifier: [{ system, value: "N1" }] } });
    const { client, show, sync, world } = guest;
    const her = `Individual/${system}|N2`;
    await arrive(guest, (draft) => {
      draft.identifier = [{ system, value: "N2" }];
    });
    await ok(client.individuals.update(her, add("1")));
    await sync();
    await show(null, world, her);
    const now = await createWorld();
    const registered = { identifier: [{ system, value: "N2" }], telecom: [phone("OFFICE")], ...who };
    await ok(now.view.individuals.create({ type: "Individual", ...registered } as Individual));
    now.pass(200 * 3_600_000);
    await show(custom("identifier", "telecom", "active", "meta"), now, her);
    world.moveTo(now);
    await ok(client.signIn(partner));
    const phones = async () =>
      (await ok(now.view.individuals.read(`${system}|N2`))).telecom?.map(({ value }) => value);
    const shown = async () =>
      (await ok(client.individuals.search({}))).data.map(({ record: { name, telecom = [] } }) =>
        [name?.given, ...telecom.map(({ value }) => value)].join(" "),
      );
    const run = async () => {
      for (let i = 0; i < 3; i++) {
        now.pass(26 * 3_600_000);
        await client.sync();
      }
    };
    await run();
    expect(await phones()).toEqual(["OFFICE"]);
    expect(await client.parked()).toMatchObject([{ reason: "gone", reference: her }]);
    await show(everything, now, her);
    await run();
    expect(await phones()).toEqual(said);
    expect((await client.parked()).map(({ reason }) => reason)).toEqual(waits);
    expect(await shown()).toEqual(here);
    await show(null, now, her);
    await run();
    expect(JSON.stringify([await shown(), await client.parked()])).not.toContain("OFFICE");
  },
);
