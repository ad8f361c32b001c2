import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, ben, home } from "../contract/consent-world.ts";
import { household, stores } from "../contract/fixture.ts";
import type { World } from "../contract/world.ts";
import {
  bundle,
  create,
  entry,
  fresh,
  newcomer,
  open,
  people,
  post,
  type Request,
  system,
} from "./restricted-world.ts";

/** The answer without the parts that are of one request alone: its id and its path. */
const told = ({ status, headers, body }: Awaited<ReturnType<World["send"]>>) => {
  const kept = [...headers].filter(([name]) => name !== "x-request-id");
  return JSON.stringify({ status, headers: kept, body });
};

describe.each(stores)("a refused duplicate of a restricted caller on %s", (_name, store) => {
  let world: World;
  beforeEach(async () => {
    world = await open(store);
  });
  const entriesOf = async (client: string) => {
    const page = unwrap(await world.registry.audit({ clientId: client }));
    return page.data.filter(({ action }) => action === "duplicate");
  };

  const split = (value: string) =>
    post(`/${home}/$split`, {
      identifier: [{ system: "urn:service:group", value }],
      name: "S",
      members: [{ reference: ana }],
    });
  const groups = ["hidden", "home"];
  const doors: readonly (readonly [string, (taken: string) => Request, readonly string[]])[] = [
    [
      "a create, first of two identifiers",
      (taken) => post("/Individual", newcomer(taken, fresh)),
      ["1", "2"],
    ],
    ["a create, last of two identifiers", (taken) => post("/Individual", newcomer(fresh, taken)), ["1", "2"]],
    ["an entry of a batch", (taken) => bundle("batch", create(newcomer(fresh, taken))), ["1", "2"]],
    [
      "an entry of a transaction",
      (taken) => bundle("transaction", create(newcomer(fresh)), create(newcomer("998", taken))),
      ["1", "2"],
    ],
    ["$split", split, groups],
    [
      "$split in a transaction",
      (taken) =>
        bundle("transaction", create(newcomer(fresh)), {
          request: { method: "POST", url: `${home}/$split` },
          resource: split(taken).body,
        }),
      groups,
    ],
  ];
  it.each(doors)("has the same bytes whichever identifier is taken: %s", async (_door, ask, values) => {
    await world.post("ministry", "/Group", household("hidden", []));
    for (const client of ["ngo", "clerk"]) {
      const answers = [];
      for (const value of values) answers.push(told(await world.send(client, ask(value))));
      expect(answers[1]).toBe(answers[0]);
      expect(answers[0]).toContain("urn:service:error:duplicate");
      expect(answers[0]).not.toMatch(/existing|"entry":\d|nid|hidden/);
    }
  });

  it("has the same bytes at the first and at the last entry of a transaction", async () => {
    const ask = (first: string, last: string) =>
      world.send("ngo", bundle("transaction", create(newcomer(first)), create(newcomer(last))));
    expect(told(await ask(fresh, "2"))).toBe(told(await ask("2", fresh)));
  });

  it("has the same bytes for an enrollment that is there as for a taken identifier", async () => {
    const enrollment = {
      program: { reference: people },
      beneficiary: { reference: ana },
      status: "enrolled",
    };
    const pair = await world.post("ngo", "/ProgramMembership", { type: "ProgramMembership", ...enrollment });
    const taken = await world.post("ngo", "/Individual", newcomer("2"));
    expect({ ...pair.body, instance: "" }).toEqual({ ...taken.body, instance: "" });
    expect(pair.status).toBe(409);
  });

  const dry: readonly (readonly [string, (probed: string) => readonly unknown[]])[] = [
    [
      "changes what it creates",
      (probed) => [
        create(newcomer(fresh, probed)),
        entry("PATCH", `Individual/${system}|${probed}`, { name: { given: "Eva" } }),
      ],
    ],
    [
      "changes what another entry has changed",
      (probed) => [
        create(newcomer(fresh, probed)),
        entry("PATCH", ana, { name: { given: "Eva" } }),
        entry("PATCH", ana, { birthDate: "never" }),
      ],
    ],
    [
      "takes out the member that it creates",
      (probed) => [
        create(newcomer(fresh, probed)),
        entry("POST", `${home}/$remove-member`, { entity: { reference: `Individual/${system}|${probed}` } }),
      ],
    ],
    [
      "splits into a group that it changes",
      (probed) => [
        entry("POST", `${home}/$split`, {
          identifier: [{ system: "urn:service:group", value: probed }],
          name: "S",
          members: [{ reference: ana }, { reference: "Individual/urn:gov:ph:nid|77" }],
        }),
        entry("PATCH", `Group/urn:service:group|${probed}`, { name: "T" }),
      ],
    ],
  ];
  it.each(dry)(
    "can't be tried out in a transaction that fails in any case: one that %s",
    async (_case, entries) => {
      await world.post("ministry", "/Group", household("2", []));
      const ask = async (value: string) => {
        const answer = await world.send("ngo", bundle("transaction", ...entries(value)));
        expect(answer.status).toBeGreaterThanOrEqual(400);
        return told(answer).replaceAll(`|${value}`, "|?");
      };
      expect(await ask("2")).toBe(await ask("555"));
      expect(await entriesOf("ngo")).toEqual([]);
    },
  );

  it("leaves an audit entry with the holder, and nothing else", async () => {
    const key = unwrap(await world.view.individuals.disclose(`${system}|2`)).key;
    await world.send("ngo", {
      ...post("/Individual", newcomer(fresh, "2")),
      headers: { "X-Request-Id": "r" },
    });
    expect(await entriesOf("ngo")).toMatchObject([
      {
        at: world.clock.now.toISOString(),
        clientId: "ngo",
        organization: "Helpers",
        requestId: "r",
        records: [`Individual/${key}`],
        fields: ["identifier"],
        identifiers: [ben],
      },
    ]);
    expect((await world.get("ministry", `/Individual/${system}|${fresh}`)).status).toBe(404);
    await world.post("ministry", "/Individual", newcomer("2"));
    expect(await entriesOf("ministry")).toEqual([]);
  });

  it("is told 20 times a minute: then every write that may be one is 429, until the minute is over", async () => {
    const ask = (value: string) => world.post("ngo", "/Individual", newcomer(value));
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask("2")));
    const statuses = answers.map(({ status }) => status);
    expect([409, 429].map((one) => statuses.filter((status) => status === one).length)).toEqual([20, 10]);
    const late = await ask("2");
    expect(told(late)).toBe(told(await ask("777")));
    expect([late.status, late.body.type]).toEqual([429, "urn:service:error:too-many-requests"]);
    expect([late.headers.get("Retry-After"), late.headers.get("RateLimit-Limit")]).toEqual(["60", "20"]);
    const batch = await world.send("ngo", bundle("batch", create(newcomer("2"))));
    expect(batch.body.entry[0].response.status).toBe(429);
    expect((await world.change("ngo", "PATCH", `/${ana}`, { name: { given: "Eva" } })).status).toBe(200);
    for (const other of ["ngo2", "clerk"]) {
      expect((await world.post(other, "/Individual", newcomer("2"))).status).toBe(409);
    }
    expect((await world.post("ministry", "/Individual", newcomer("2"))).status).toBe(409);
    expect(await entriesOf("ngo")).toHaveLength(20);
    world.clock.now = new Date(world.clock.now.getTime() + 60_000);
    expect((await ask("2")).status).toBe(409);
    expect((await ask("777")).status).toBe(201);
  });

  it("is told as often as the deployment says", async () => {
    const narrow = await open(store, { refusedDuplicates: 1 });
    const statuses = [];
    for (let i = 0; i < 3; i++)
      statuses.push((await narrow.post("ngo", "/Individual", newcomer("2"))).status);
    expect(statuses).toEqual([409, 429, 429]);
  });
});
