import {
  type Commit,
  createMemoryMedium,
  createMemoryStore,
  type MemoryMedium,
  type Store,
} from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { clientOn, other, run, tabletOf } from "./support/files.ts";
import { answer, names, ok, peopleIn, personOf, settled, system } from "./support/people.ts";
import { gate, manualTimers, turns } from "./support/timers.ts";
import { createWorld, credentials, partner, type World } from "./support/world.ts";

const minute = 60_000;
const here = (city: string) => [{ type: "physical", country: "PH", state: city, city }] as never;

let world: World;
const { seed, rename, families } = peopleIn(() => world);

beforeEach(async () => {
  world = await createWorld();
});

describe("a run that was given up because the tablet slept", () => {
  /** A tablet whose runs begin by themselves, and whose requests may take as long as they like. */
  function tabletOn(medium: MemoryMedium, fetch: Fetch, feeds = ["all"]) {
    const timers = manualTimers(world.busy);
    const more = { timers, automatic: true, requestTimeout: 60 * minute, feeds };
    const client = clientOn(world, medium, { fetch, ...more });
    /** The clock goes on, and then the timers: the run that is under way is given up. */
    const sleep = async () => {
      world.pass(15 * minute);
      await timers.advance(5 * minute);
    };
    return { client, timers, sleep };
  }

  it("sends nothing of its person under the name of the next", async () => {
    await seed(names(4));
    const hung = gate();
    let net: "good" | "hangs" | "none" = "good";
    const writers: string[] = [];
    const { client, sleep } = tabletOn(createMemoryMedium(), async (url, init) => {
      if (net === "none") throw new TypeError("no network");
      if (init.method === "GET" || url.includes("token")) return world.send(url, init);
      writers.push(senderOf(init.headers.authorization));
      if (net === "good") return world.send(url, init);
      await hung.opened;
      return answer(413);
    });
    await ok(client.signIn(credentials));
    await client.sync();
    await client.pause();
    await rename(client, names(4));
    net = "hangs";
    await client.resume();
    await turns(world.busy);
    expect(writers).toEqual(["tablet"]);
    net = "none";
    await sleep();
    net = "good";
    await ok(client.signIn(other));
    await turns(world.busy);
    hung.open();
    await turns(world.busy);
    await client.sync();
    expect(writers).toEqual(["tablet"]);
    await ok(client.signIn(credentials));
    await client.sync();
    expect(client.status.current).toMatchObject(settled);
    expect(new Set(writers)).toEqual(new Set(["tablet"]));
    expect(await families()).toEqual(["Reyes", "Reyes", "Reyes", "Reyes"]);
    await client.close();
  });

  it("lets go of no record that landed since", async () => {
    await ok(world.view.individuals.create({ ...personOf("P", { given: "P" }), address: here("Cavite") }));
    const medium = createMemoryMedium();
    const held = gate();
    let looks = 0;
    const first = tabletOn(medium, world.send, ["area:PH/Cavite"]);
    await ok(first.client.signIn(credentials));
    // She lives elsewhere: no feed of this tablet tells of her, and a reading anew asks for her.
    const identifier = [{ system, value: "MADE" }];
    const bea = { active: true, identifier, name: { given: "Bea" }, address: here("Laguna") };
    await ok(first.client.individuals.create(bea));
    await first.client.sync();
    await first.client.close();
    const network: Fetch = async (url, init) => {
      if (!decodeURIComponent(url).includes("|MADE") || ++looks > 1) return world.send(url, init);
      await held.opened;
      return world.send(url, init);
    };
    const { client, sleep } = tabletOn(medium, network, ["area:PH/Cavite", "area:PH/Batangas"]);
    await turns(world.busy);
    expect(looks).toBe(1);
    const household = { type: "Group", groupType: "household", active: true, name: "H" };
    const named = [{ system, value: "H" }];
    await ok(world.view.groups.create({ ...household, identifier: named, address: here("Cavite") } as never));
    await sleep();
    await client.sync();
    const seen = async () => (await ok(client.groups.search())).data.map(({ record }) => record.name);
    expect(await seen()).toEqual(["H"]);
    held.open();
    await turns(world.busy);
    expect(await seen()).toEqual(["H"]);
    await client.close();
  });
});

describe("a run whose person signed out", () => {
  it("sends nothing when they are back at once: what the office takes back stays so", async () => {
    await seed(["P", "Q"]);
    const slow = gate();
    let net: "good" | "slow" | "losing" | "none" = "good";
    const { client } = await tabletOf(world, "a", {
      network: (send) => async (url, init) => {
        if (net === "slow" && url.includes("/metadata")) await slow.opened;
        if (net === "none") throw new TypeError("no network");
        const got = await send(url, init);
        if (net !== "losing" || init.method === "GET" || url.includes("token")) return got;
        net = "none";
        throw new TypeError("connection reset");
      },
    });
    await rename(client, ["P", "Q"]);
    net = "slow";
    const running = client.sync();
    await turns(world.busy);
    await ok(client.signIn(other));
    await ok(client.signIn(credentials));
    net = "losing";
    slow.open();
    await running;
    await client.sync();
    expect(net).toBe("none");
    net = "good";
    await ok(client.signIn(other));
    await ok(world.view.individuals.patch(`${system}|P`, { name: { family: "Cruz" } }, { ifMatch: "*" }));
    await ok(client.signIn(credentials));
    await client.sync();
    await client.sync();
    expect(await families()).toEqual(["Cruz", "Reyes"]);
    expect(client.status.current).toMatchObject(settled);
  });

  /** A tablet of which one commit waits for a gate. */
  function tabletWaiting(isHeld: (commit: Required<Pick<Commit, "put" | "remove">>) => boolean) {
    const medium = createMemoryMedium();
    const [store, held, reached] = [createMemoryStore({ medium }), gate(), gate()];
    let armed = false;
    const slow: Store = {
      get: (keys) => store.get(keys),
      resolve: (claims) => store.resolve(claims),
      query: (query) => store.query(query),
      changes: (request) => store.changes(request),
      close: () => store.close(),
      async commit(commit) {
        if (armed && isHeld({ put: [], remove: [], ...commit })) {
          armed = false;
          reached.open();
          await held.opened;
        }
        return store.commit(commit);
      },
    };
    const arm = () => {
      armed = true;
    };
    return { client: clientOn(world, medium, { store: slow }), held, reached, arm };
  }

  it("puts nothing on the next person's tablet that waited for a decision", async () => {
    const { client, held, reached, arm } = tabletWaiting(
      ({ put, remove }) =>
        put.some(({ collection }) => collection === "Individual") &&
        remove.some(({ collection }) => collection === "waiting"),
    );
    await ok(client.signIn(credentials));
    await client.sync();
    // Registered here and by the office under one number, which was mistyped here.
    const [identifier, corrected] = ["N", "M"].map((value) => [{ system, value }]);
    const mine = { active: true, identifier, name: { given: "Ana", family: "Mine" } } as never;
    const { reference } = await ok(client.individuals.create(mine));
    await ok(world.view.individuals.create(personOf("N", { given: "Ana", family: "Office" })));
    await run({ client }, 2);
    expect(client.status.current.parked).toBe(1);
    await ok(
      client.individuals.update(reference, (draft) => Object.assign(draft, { identifier: corrected })),
    );
    arm();
    const running = client.sync();
    await reached.opened;
    await ok(client.signIn(partner));
    held.open();
    await running;
    await client.sync();
    expect((await ok(client.individuals.search({ active: "any" }))).data).toEqual([]);
  });

  it("does not decide on what waits for the next person", async () => {
    await seed(["P"]);
    const { client, held, reached, arm } = tabletWaiting(({ put, remove }) =>
      [...put, ...remove].some(({ collection }) => collection === "outbox"),
    );
    for (const [person, family] of [
      [other, "Bee"],
      [credentials, "Ay"],
    ] as const) {
      await ok(client.signIn(person));
      await client.sync();
      await rename(client, ["P"], family);
      await ok(
        world.view.individuals.patch(`${system}|P`, { name: { family: `Not ${family}` } }, { ifMatch: "*" }),
      );
      await client.sync();
      expect(client.status.current.parked).toBe(1);
    }
    arm();
    const decision = client.resolve(`Individual/${system}|P`, { kind: "discard" });
    await reached.opened;
    await ok(client.signIn(other));
    held.open();
    expect(await decision).toMatchObject({ ok: false, problem: { kind: "authentication" } });
    expect(await client.parked()).toMatchObject([{ ours: { name: { family: "Bee" } } }]);
  });
});

/** The person whose token a request carries. */
function senderOf(authorization = ""): string {
  const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
  return String(JSON.parse(claims).sub);
}
