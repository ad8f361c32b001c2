import { createMemoryMedium, type MemoryMedium } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { clientOn, other, tabletOf } from "./support/files.ts";
import { answer, names, ok, peopleIn, settled, system } from "./support/people.ts";
import { gate, manualTimers, turns } from "./support/timers.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const minute = 60_000;

let world: World;
const { seed, rename, families } = peopleIn(() => world);

beforeEach(async () => {
  world = await createWorld();
});

describe("a run that was given up because the tablet slept", () => {
  /** A tablet whose runs begin by themselves, and whose requests may take as long as they like. */
  function tabletOn(medium: MemoryMedium, fetch: Fetch) {
    const timers = manualTimers(world.busy);
    const more = { timers, automatic: true, requestTimeout: 60 * minute };
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
});

/** The person whose token a request carries. */
function senderOf(authorization = ""): string {
  const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
  return String(JSON.parse(claims).sub);
}
