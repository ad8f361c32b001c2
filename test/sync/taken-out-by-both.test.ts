import type { Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const gender = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }], text: "as told" };
const lives = { type: "physical" as const, city: "Naga", line: ["1"] };
const phone = (value: string, use?: "home" | "work") => ({
  ...{ system: "phone" as const, value },
  ...(use && { use }),
});
const record = {
  ...{ type: "Individual", identifier: [{ system, value: "ANA" }] },
  ...{ name: { family: "Cruz", given: "Ana", middle: "M" }, birthDate: "1980-01-01", gender },
  ...{ telecom: [phone("1"), phone("2")], address: [lives] },
};

interface Case {
  readonly what: string;
  readonly here: (draft: Individual) => unknown;
  readonly there: object;
  /** Where the two are in conflict; nothing where the tablet's change arrives by itself. */
  readonly asks?: string;
}

const cases: readonly Case[] = [
  {
    ...{ what: "a date, and the office a gender too", there: { birthDate: null, gender: null } },
    here: (draft) => delete draft.birthDate,
  },
  {
    ...{
      what: "a part of the name, and the office a gender too",
      there: { name: { middle: null }, gender: null },
    },
    here: (draft) => delete draft.name.middle,
  },
  {
    ...{ what: "a phone, and the office both", there: { telecom: null } },
    here: (draft) => draft.telecom?.pop(),
  },
  {
    ...{ what: "a text of a gender that the office takes out", there: { gender: null }, asks: "/gender" },
    here: (draft) => delete draft.gender?.text,
  },
  {
    ...{
      what: "a line of an address that the office takes out",
      there: { address: null },
      asks: "/address/0",
    },
    here: (draft) => delete draft.address?.[0]?.line,
  },
  {
    ...{ what: "a phone that the office gives another use beside it" },
    there: { telecom: [phone("1"), phone("1", "work"), phone("2")] },
    here: (draft) => draft.telecom?.shift(),
  },
  {
    ...{ what: "a phone, and the office a gender and an address", there: { gender: null, address: null } },
    here: (draft) => draft.telecom?.shift(),
  },
];

/** Where no consent hides anything, what the office takes out is taken out: once, this was taken for hidden, and asked for without end. */
describe("at a server that shows all, a tablet takes out", () => {
  it.each(
    [
      { server: "its own", network: undefined },
      { server: "a plain", network: plain },
    ].flatMap((server) => cases.map((each) => ({ ...server, ...each }))),
  )("$what, at $server one", async ({ network, here, there, asks }) => {
    const world = await createWorld();
    await ok(world.view.individuals.create(record));
    const { client } = world.device("a", { ...(network && { network }) });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(ana, (draft) => void here(draft)));
    await ok(world.view.individuals.patch(`${system}|ANA`, there, { ifMatch: "*" }));
    await client.sync();
    await client.sync();
    expect((await client.parked()).map(({ conflicts }) => conflicts.map(({ path }) => path))).toEqual(
      asks ? [[asks]] : [],
    );
    expect(client.status.current).toMatchObject({ pending: 0, sending: 0 });
    const versions = (await ok(world.view.individuals.read(`${system}|ANA`))).meta.versionId;
    world.requests.length = 0;
    for (let run = 0; run < 3; run++) {
      world.pass(3_600_000);
      await client.sync();
    }
    expect(world.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).meta.versionId).toBe(versions);
  });
});
