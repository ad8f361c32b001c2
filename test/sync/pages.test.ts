import { type Commit, createMemoryMedium, createMemoryStore, type Store } from "@fieldroll/core";
import { createFieldClient, type Fetch, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { mortal } from "./support/mortal.ts";
import { ok } from "./support/people.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const people = 12;
const perPage = 5;

type Send = () => ReturnType<Fetch>;

/** A device, and what happens to it while it reads a feed. Pages and commits with records are counted from 1. */
interface Story {
  readonly page?: (nth: number, send: Send) => ReturnType<Fetch>;
  readonly beforeCommit?: (nth: number) => Promise<unknown>;
  readonly afterCommit?: (nth: number) => Promise<unknown>;
  readonly store?: Store;
}

function hasRecords({ put = [] }: Commit): boolean {
  return put.some(({ collection }) => collection === "Individual");
}

describe("a feed of several pages", () => {
  let world: World;
  let medium: ReturnType<typeof createMemoryMedium>;
  /** The cursors of the pages that were asked for. */
  let asked: (string | null)[];

  beforeEach(async () => {
    world = await createWorld();
    await fill(world);
    medium = createMemoryMedium();
    asked = [];
  });

  async function fill({ view }: World): Promise<void> {
    for (let nth = 0; nth < people; nth++) {
      const identifier = [{ system: "urn:test:national", value: `P${nth}` }];
      await ok(view.individuals.create({ type: "Individual", identifier, name: { family: "Cruz" } }));
    }
  }

  /** The device's store, told of commits with records. */
  function watched({ store: inner = createMemoryStore({ medium }), ...story }: Story): Store {
    let commits = 0;
    return {
      get: (keys) => inner.get(keys),
      resolve: (claims) => inner.resolve(claims),
      query: (query) => inner.query(query),
      changes: (request) => inner.changes(request),
      close: () => inner.close(),
      async commit(commit) {
        const nth = hasRecords(commit) ? ++commits : 0;
        if (nth > 0) await story.beforeCommit?.(nth);
        const result = await inner.commit(commit);
        if (nth > 0) await story.afterCommit?.(nth);
        return result;
      },
    };
  }

  function tablet(story: Story = {}): FieldClient {
    const fetch: Fetch = (url, init) => {
      const address = new URL(url);
      if (!address.pathname.endsWith("/$changes")) return world.send(url, init);
      address.searchParams.set("limit", String(perPage));
      asked.push(address.searchParams.get("cursor"));
      const send = () => world.send(address.href, init);
      return story.page ? story.page(asked.length, send) : send();
    };
    return createFieldClient({
      ...{ server: root, store: watched(story), fetch, clock: world.now, newId: v7 },
      random: () => 0,
      timers: { set: () => () => undefined },
      lock: processLock(),
      automatic: false,
    });
  }

  async function everybody(): Promise<number> {
    const { documents } = await createMemoryStore({ medium }).query({ collection: "Individual", limit: 100 });
    return documents.length;
  }

  /** Waits until the page that is on its way has arrived. */
  const arrived = () => turns(world.busy);

  it("is asked for the next page while one is being written, and for each page once", async () => {
    const before: number[] = [];
    const client = tablet({
      beforeCommit: async () => {
        await arrived();
        before.push(asked.length);
      },
    });
    await ok(client.signIn(credentials));
    await client.sync();
    expect(await everybody()).toBe(people);
    expect(before).toEqual([2, 3, 3]);
    expect(new Set(asked).size).toBe(3);
  });

  it.each(["before", "after"] as const)(
    "goes on where it was, dying %s any commit with the next page on its way",
    async (side) => {
      let deaths = 0;
      for (let at = 1; at === deaths + 1; at++) {
        medium = createMemoryMedium();
        const store = mortal(createMemoryStore({ medium }), { at, side }, () => {
          deaths++;
        });
        const doomed = tablet({ store });
        await Promise.race([doomed.signIn(credentials).then(() => doomed.sync()), arrived()]);
        await arrived();
        const next = tablet();
        if ((await next.sync()).signedInAs === null) await ok(next.signIn(credentials));
        expect(await next.sync()).toMatchObject({ lastError: null, firstSync: { complete: true } });
        expect(await everybody()).toBe(people);
      }
      expect(deaths).toBeGreaterThan(5);
    },
  );

  it.each<[string, (client: FieldClient) => Promise<unknown>]>([
    ["is closed", async (client) => void client.close()],
    ["is signed out of", (client) => client.signOut()],
  ])("does not land a page that was on its way when the device %s", async (_, end) => {
    const client: FieldClient = tablet({
      afterCommit: async (nth) => {
        await arrived();
        if (nth === 1) await end(client);
      },
    });
    await ok(client.signIn(credentials));
    // It ends with the store being closed, or with nobody signed in.
    const ended = client.sync().catch(() => undefined);
    await arrived();
    await arrived();
    expect(asked).toHaveLength(2);
    expect(await everybody()).toBe(perPage);
    await ended;
    const next = tablet();
    if ((await next.sync()).signedInAs === null) await ok(next.signIn(credentials));
    await next.sync();
    expect(await everybody()).toBe(people);
    expect(asked[2]).toBe(asked[1]);
  });

  it("keeps what it has when the next page is refused to the token, and goes on there", async () => {
    const refusal = new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } });
    const first = tablet();
    await ok(first.signIn(credentials));
    await first.close();
    // It does not know the secret, so it can't ask for another token.
    const client = tablet({ page: (nth, send) => (nth === 1 ? send() : Promise.resolve(refusal)) });
    expect(await client.sync()).toMatchObject({ needsSignIn: true, firstSync: { complete: false } });
    expect(await everybody()).toBe(perPage);
    await client.close();
    const next = tablet();
    await ok(next.signIn(credentials));
    asked = [];
    expect(await next.sync()).toMatchObject({ needsSignIn: false, firstSync: { complete: true } });
    expect(asked[0]).not.toBeNull();
    expect(await everybody()).toBe(people);
  });

  it("starts over when the page that was on its way is of other data, and forgets what those do not have", async () => {
    const restored = await createWorld();
    await fill(restored);
    const client = tablet({
      beforeCommit: async (nth) => {
        if (nth === 1) await arrived();
      },
      page: (nth, send) => {
        if (nth === 2) world.moveTo(restored);
        return send();
      },
    });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.signIn(credentials));
    expect(await client.sync()).toMatchObject({ lastError: null, firstSync: { complete: true } });
    expect(await everybody()).toBe(people);
    expect(asked.filter((cursor) => cursor === null).length).toBeGreaterThan(1);
  });

  it("lets go of a page that it asked for before another reader of the feed came by", async () => {
    const client = tablet({
      afterCommit: async (nth) => {
        if (nth !== 1) return;
        await arrived();
        const store = createMemoryStore({ medium });
        const [state] = await store.get([{ collection: "sync", key: "feed:all" }]);
        if (state) await store.commit({ put: [{ ...state, version: state.version + 1 }] });
      },
    });
    await ok(client.signIn(credentials));
    await client.sync();
    expect(asked.slice(0, 3)).toEqual([null, asked[1], asked[1]]);
    expect(await everybody()).toBe(people);
  });

  it("asks again for a page that it asked for before an edit was sent", async () => {
    const client: FieldClient = tablet({
      beforeCommit: async (nth) => {
        await arrived();
        if (nth === 1) await ok(client.individuals.create({ active: true, name: { family: "Diaz" } }));
      },
    });
    await ok(client.signIn(credentials));
    expect(await client.sync()).toMatchObject({ pending: 0, lastError: null });
    expect(asked.slice(0, 3)).toEqual([null, asked[1], asked[1]]);
    expect(await everybody()).toBe(people + 1);
  });

  it("asks for nothing ahead while something waits to be sent", async () => {
    const order: string[] = [];
    const client: FieldClient = tablet({
      page: async (nth, send) => {
        order.push(`page ${nth}`);
        const answer = await send();
        if (nth === 1) await ok(client.individuals.create({ active: true, name: { family: "Diaz" } }));
        return answer;
      },
      beforeCommit: async (nth) => {
        await arrived();
        order.push(nth === 1 ? "edit" : "landing");
      },
    });
    await ok(client.signIn(credentials));
    await client.sync();
    expect(order.slice(0, 3)).toEqual(["page 1", "edit", "landing"]);
    expect(await everybody()).toBe(people + 1);
  });

  it("finds out late that a record of a first page is here already, and keeps the newer one", async () => {
    const first = tablet();
    await ok(first.signIn(credentials));
    await first.sync();
    await first.close();
    // As if the feed told again of what it told: the cursor went back to the beginning, and nothing else.
    const store = createMemoryStore({ medium });
    const [state] = await store.get([{ collection: "sync", key: "feed:all" }]);
    if (!state) throw new Error("There is no cursor.");
    const body = { ...(state.body as object), cursor: null, complete: false };
    await store.commit({ put: [{ ...state, version: state.version + 1, body }] });
    const patch = { name: { family: "Reyes" } };
    await ok(world.view.individuals.patch("urn:test:national|P3", patch, { ifMatch: "*" }));
    const again = tablet();
    expect(await again.sync()).toMatchObject({ lastError: null, firstSync: { complete: true } });
    const found = await ok(again.individuals.read("Individual/urn:test:national|P3"));
    expect(found.record.name.family).toBe("Reyes");
    expect(await everybody()).toBe(people);
  });
});
