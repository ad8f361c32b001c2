import { processLock, type SyncStatus } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { deviceIn } from "./support/tabs.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const minute = 60_000;
const someone = { active: true, name: { family: "Diaz" } };

describe("the engine, running by itself", () => {
  let world: World;
  const found = async () => (await ok(world.view.individuals.search())).data.length;

  beforeEach(async () => {
    world = await createWorld();
  });

  it("asks for the lead again where it could not be asked for at first", async () => {
    const lock = processLock();
    let refusals = 1;
    const acquire = () =>
      refusals-- > 0 ? Promise.reject(new Error("There are no locks now.")) : lock.acquire();
    const { tab, pass } = deviceIn(world, (send) => send, { acquire });
    const client = tab();
    await ok(client.signIn(credentials));
    await ok(client.individuals.create(someone));
    await pass(minute);
    await pass(0);
    expect(await found()).toBe(1);
    await client.close();
  });

  it("sends an edit when it is made, and looks again within five minutes", async () => {
    const { tab, pass, timers } = deviceIn(world);
    const client = tab();
    await ok(client.signIn(credentials));
    await pass(0);
    await ok(client.individuals.create(someone));
    await pass(200);
    expect(await found()).toBe(1);
    expect(client.status.current).toMatchObject({ phase: "idle", pending: 0 });
    await ok(
      world.view.individuals.create({
        ...someone,
        type: "Individual",
        identifier: [{ system: "urn:x", value: "1" }],
      }),
    );
    expect(Math.max(...timers.delays)).toBeLessThanOrEqual(5 * minute);
    await pass(5 * minute);
    expect((await ok(client.individuals.search())).data).toHaveLength(2);
    await client.close();
  });

  it("sends an edit between two pages of a long pull", async () => {
    const identifier = (value: number) => [{ system: "urn:x", value: String(value) }];
    for (let at = 0; at < 450; at++) {
      await ok(world.view.individuals.create({ ...someone, type: "Individual", identifier: identifier(at) }));
    }
    const requests: string[] = [];
    const { tab, pass } = deviceIn(world, (send) => async (url, init) => {
      requests.push(`${init.method} ${new URL(url).pathname}`);
      const answer = await send(url, init);
      // The person saves while the first page is on its way.
      if (url.includes("$changes") && !url.includes("cursor")) await ok(client.individuals.create(someone));
      return answer;
    });
    const client = tab();
    await ok(client.signIn(credentials));
    await pass(0);
    const page = "GET /api/v2/$changes";
    expect(requests.slice(1, 5)).toEqual([page, "POST /api/v2/Individual", page, page]);
    await client.close();
  });

  it("keeps away as long as the server asks, then sends", async () => {
    let busy = true;
    const asked: string[] = [];
    const { tab, pass } = deviceIn(world, (send) => async (url, init) => {
      if (url.endsWith("/token") || !busy) return send(url, init);
      asked.push(url);
      return new Response("", { status: 503, headers: { "retry-after": "120" } });
    });
    const client = tab();
    await ok(client.signIn(credentials));
    await pass(0);
    await ok(client.individuals.create(someone));
    await pass(100_000);
    expect(asked).toHaveLength(1);
    expect(client.status.current).toMatchObject({ phase: "waiting", pending: 1 });
    busy = false;
    await pass(25_000);
    expect(await found()).toBe(1);
    await client.close();
  });

  it("ends a request that never answers, and does not let it hold up the others", async () => {
    const { tab, pass } = deviceIn(
      world,
      (send) => (url, init) =>
        init.body?.includes("Stuck") ? new Promise(() => undefined) : send(url, init),
    );
    const client = tab();
    await ok(client.signIn(credentials));
    await pass(0);
    await ok(client.individuals.create({ active: true, name: { family: "Stuck" } }));
    for (let i = 0; i < 5; i++) await ok(client.individuals.create(someone));
    for (let second = 0; second < 120 && (await found()) < 5; second++) await pass(1_000);
    await pass(1_000);
    expect(await found()).toBe(5);
    expect(client.status.current).toMatchObject({ sending: 1, pending: 0 });
    await client.close();
  });

  it("lets any tab edit and one tab send; when that one goes, another takes over", async () => {
    const { tab, pass } = deviceIn(world);
    const [first, second] = [tab(), tab()];
    await ok(first.signIn(credentials));
    await pass(0);
    const heard: SyncStatus[] = [];
    second.status.subscribe((status) => heard.push(status));
    await ok(second.individuals.create(someone));
    await pass(500);
    expect(await found()).toBe(1);
    expect(second.status.current).toMatchObject({ pending: 0, sending: 0, signedInAs: "tablet" });
    expect(world.effects).toHaveLength(2);
    await first.close();
    await turns(world.busy);
    await ok(second.individuals.create(someone));
    await pass(500);
    expect(await found()).toBe(2);
    await second.close();
  });

  it("keeps what two tabs write into one list at the same moment", async () => {
    const { tab, pass } = deviceIn(world);
    const [first, second] = [tab(), tab()];
    await ok(first.signIn(credentials));
    await pass(0);
    const { reference } = await ok(first.individuals.create(someone));
    const values = Array.from({ length: 6 }, (_, i) => `https://${i}.test`);
    const added = values.map((value, i) =>
      ok(
        (i % 2 === 0 ? first : second).individuals.update(reference, (draft) => {
          draft.telecom = [...(draft.telecom ?? []), { system: "fax", value }];
        }),
      ),
    );
    await Promise.all([...added, pass(1_000)]);
    await pass(10_000);
    const record = await ok(world.view.individuals.read(reference.slice("Individual/".length)));
    expect(record.telecom?.map(({ value }) => value).sort()).toEqual(values);
    await first.close();
    await second.close();
  });

  it("waits for the leading tab's run when another tab asks for one", async () => {
    const { tab, pass } = deviceIn(world);
    const [first, second] = [tab(), tab()];
    await ok(first.signIn(credentials));
    await pass(0);
    await ok(
      world.view.individuals.create({
        ...someone,
        type: "Individual",
        identifier: [{ system: "urn:x", value: "1" }],
      }),
    );
    await second.sync();
    expect((await ok(second.individuals.search())).data).toHaveLength(1);
    await first.close();
    await second.close();
  });

  it("asks for a sign-in when the token is refused and the secret is gone, and keeps the edits", async () => {
    let revoked = false;
    const { tab, pass } = deviceIn(world, (send) => async (url, init) => {
      if (!revoked || url.endsWith("/token")) return send(url, init);
      return new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } });
    });
    const first = tab();
    await ok(first.signIn(credentials));
    await pass(0);
    await first.close();
    const client = tab();
    await pass(0);
    revoked = true;
    await ok(client.individuals.create(someone));
    await pass(1_000);
    expect(client.status.current).toMatchObject({ pending: 1, needsSignIn: true, phase: "signed-out" });
    revoked = false;
    await ok(client.signIn(credentials));
    await pass(10_000);
    expect(await found()).toBe(1);
    expect(client.status.current).toMatchObject({ sending: 0, needsSignIn: false, phase: "idle" });
    await client.close();
  });
});

describe("a pause", () => {
  it("keeps edits and sends nothing, from any tab and through a restart, until somebody goes on", async () => {
    const world = await createWorld();
    const found = async () => (await ok(world.view.individuals.search())).data.length;
    const { tab, pass } = deviceIn(world);
    const [first, second] = [tab(), tab()];
    await ok(first.signIn(credentials));
    await pass(0);
    await second.pause();
    await pass(200);
    expect(first.status.current.phase).toBe("paused");
    await ok(second.individuals.create(someone));
    const asked = world.requests.length;
    expect(await first.sync()).toMatchObject({ phase: "paused", pending: 1 });
    await pass(30 * minute);
    await first.close();
    await second.close();
    const third = tab();
    await pass(30 * minute);
    expect(world.requests).toHaveLength(asked);
    expect(third.status.current).toMatchObject({ phase: "paused", pending: 1 });
    await third.resume();
    await pass(500);
    expect(await found()).toBe(1);
    expect(third.status.current).toMatchObject({ phase: "idle", pending: 0 });
    await third.close();
  });

  it("lets a push end after what is under way", async () => {
    const world = await createWorld();
    let written = 0;
    const { tab, pass } = deviceIn(world, (send) => async (url, init) => {
      if (url.includes("/$batch")) return new Response("", { status: 404 });
      if (init.method === "POST" && url.includes("/Individual") && ++written === 3) await client.pause();
      return send(url, init);
    });
    const client = tab();
    await ok(client.signIn(credentials));
    await pass(0);
    for (let i = 0; i < 20; i++) await ok(client.individuals.create(someone));
    await pass(5_000);
    expect(written).toBeLessThan(10);
    expect(client.status.current).toMatchObject({ phase: "paused", parked: 0 });
    await client.resume();
    await pass(5_000);
    expect((await ok(world.view.individuals.search({ limit: "50" }))).data).toHaveLength(20);
    await client.close();
  });
});

describe("a run that gets stuck in its own device", () => {
  it("is given up, and another tab goes on", async () => {
    const world = await createWorld();
    const { tab, pass } = deviceIn(world);
    let stuck = false;
    const leader = tab((store) => ({
      ...store,
      // A database may answer never: what waits for it is lost with it.
      commit: (writes) => (stuck ? new Promise(() => undefined) : store.commit(writes)),
    }));
    const follower = tab();
    await ok(leader.signIn(credentials));
    await pass(0);
    stuck = true;
    await ok(follower.individuals.create(someone));
    for (let passed = 0; passed < 12; passed++) await pass(minute);
    expect((await ok(world.view.individuals.search())).data).toHaveLength(1);
    expect(follower.status.current).toMatchObject({ phase: "idle", pending: 0, sending: 0 });
    await follower.close();
  });
});
