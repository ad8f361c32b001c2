import { createMemoryMedium, type Individual } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { answering } from "./support/bundles.ts";
import { asOffice, clientOn, tabletOf } from "./support/files.ts";
import { answer, names, ok, personOf, refusal, settled, system } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const named = (value: string) => `Individual/${system}|${value}`;
const [ana, ben, cleo] = [named("ANA"), named("BEN"), named("CLEO")];
const photo = picture("x".repeat(150_000));
const minute = 60_000;

const rename = (to: string) => (draft: Individual) => {
  draft.name.family = to;
};
const pictured = (draft: Individual) => {
  draft.photo = photo;
};

let world: World;

const populate = async (values: readonly string[]) => {
  world = await createWorld();
  for (const value of values)
    await ok(world.view.individuals.create(personOf(value, { family: "Cruz", given: value })));
};
const family = async (reference: string) =>
  (await ok(world.view.individuals.read(reference.slice("Individual/".length)))).name.family;

/** Hours of runs, ten minutes apart. */
async function hours({ client }: Pick<Device, "client">, count: number) {
  for (let nth = 0; nth < count * 6; nth++) {
    world.pass(10 * minute);
    await client.sync();
  }
}

describe("one record whose request never has a verdict", () => {
  beforeEach(() => populate(["ANA", "BEN", "CLEO"]));

  /** What the server, or what stands before it, says to whatever has this name in it. */
  const poisoned = (status: number) =>
    answering(({ method, body }) =>
      method !== "GET" && body.includes("Poison") ? { status, body: {} } : undefined,
    );

  it("so is a photo whose record can't be looked at before it is replaced, while others get through", async () => {
    let fails = true;
    const network = (send: Fetch): Fetch => {
      return (url, init) =>
        fails && init.method === "GET" && decodeURIComponent(url).includes(ana)
          ? Promise.resolve(answer(500))
          : send(url, init);
    };
    const tablet = await tabletOf(world, "a", { network });
    await ok(tablet.client.individuals.update(ana, pictured));
    for (let nth = 0; nth < 4; nth++) {
      await ok(tablet.client.individuals.update(ben, rename(`Name ${nth}`)));
      await hours(tablet, 1);
    }
    expect(await tablet.client.parked()).toMatchObject([
      { reference: ana, reason: "rejected", detail: expect.stringContaining("tried again in a day") },
    ]);
    // It goes out by itself once the record can be seen.
    fails = false;
    world.pass(24 * 60 * minute);
    await ok(tablet.client.signIn(credentials));
    await hours(tablet, 1);
    expect((await ok(world.view.individuals.read(ana.slice("Individual/".length)))).photo).toBe(photo);
    expect(tablet.client.status.current).toMatchObject(settled);
  });

  it.each([500, 502, 504, 503, 408, 429])(
    "is listed with its reason, and goes on when it is corrected (%i)",
    async (status) => {
      const tablet = await tabletOf(world, "a", { network: poisoned(status) });
      await ok(tablet.client.individuals.update(ana, rename("Poison")));
      await hours(tablet, 3);
      expect(await tablet.client.parked()).toMatchObject([
        { reference: ana, reason: "rejected", detail: expect.stringContaining("tried again in a day") },
      ]);
      await ok(tablet.client.individuals.update(ana, rename("Corrected")));
      await hours(tablet, 1);
      expect(await family(ana)).toBe("Corrected");
      expect(tablet.client.status.current).toMatchObject(settled);
    },
  );

  it("is tried again by itself a day later", async () => {
    let fails = true;
    const tablet = await tabletOf(world, "a", {
      network: answering(({ method }) =>
        fails && method === "PATCH" ? { status: 500, body: {} } : undefined,
      ),
    });
    await ok(tablet.client.individuals.update(ana, rename("Reyes")));
    await hours(tablet, 3);
    expect(tablet.client.status.current).toMatchObject({ parked: 1 });
    fails = false;
    await hours(tablet, 20);
    expect(tablet.client.status.current).toMatchObject({ parked: 1 });
    world.pass(4 * 60 * minute);
    await ok(tablet.client.signIn(credentials));
    await tablet.client.sync();
    expect(tablet.client.status.current).toMatchObject(settled);
    expect(await family(ana)).toBe("Reyes");
  });

  it("can be given up", async () => {
    const tablet = await tabletOf(world, "a", { network: poisoned(500) });
    await ok(tablet.client.individuals.update(ana, rename("Poison")));
    await hours(tablet, 3);
    await ok(tablet.client.resolve(ana, { kind: "discard" }));
    await hours(tablet, 1);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect((await ok(tablet.client.individuals.read(ana))).record.name.family).toBe("Cruz");
  });

  it("waits for a person too where this caller has no right to send it", async () => {
    const network = answering(({ method }) =>
      method === "PATCH" ? refusal(403, "authorization", { missing_scope: "registry:write" }) : undefined,
    );
    const tablet = await tabletOf(world, "a", { network });
    await ok(tablet.client.individuals.update(ana, rename("Reyes")));
    await hours(tablet, 3);
    await ok(tablet.client.resolve(ana, { kind: "discard" }));
  });

  it("holds up its household no longer once it is corrected", async () => {
    const tablet = await tabletOf(world, "a", { network: poisoned(500) });
    const { group, members } = await ok(
      tablet.client.registerHousehold({
        group: { groupType: "household", name: "H" },
        members: [{ individual: { name: { family: "Poison" } }, role: "head" }],
      }),
    );
    await hours(tablet, 3);
    await ok(tablet.client.individuals.update(members[0]?.reference ?? "", rename("Corrected")));
    await hours(tablet, 1);
    expect((await world.view.groups.read(group.reference.slice("Group/".length))).ok).toBe(true);
    expect(tablet.client.status.current).toMatchObject(settled);
  });

  it.each([503, 408, 429, 500])(
    "keeps neither news nor another record from going on (%i)",
    async (status) => {
      const tablet = await tabletOf(world, "a", { network: poisoned(status) });
      await ok(tablet.client.individuals.update(ana, rename("Poison")));
      await hours(tablet, 0.5);
      await ok(tablet.client.individuals.update(ben, rename("Reyes")));
      await asOffice(world, { birthDate: "1970-01-01" }, cleo);
      await hours(tablet, 1);
      expect(await family(ben)).toBe("Reyes");
      expect((await ok(tablet.client.individuals.read(cleo))).record.birthDate).toBe("1970-01-01");
    },
  );

  it("is a photo at which the connection is cut: news and others go on, and so does it without the photo", async () => {
    const cut =
      (send: Fetch): Fetch =>
      (url, init) =>
        (init.body?.length ?? 0) > 100_000 ? Promise.reject(new TypeError("reset")) : send(url, init);
    const tablet = await tabletOf(world, "a", { network: cut });
    await ok(tablet.client.individuals.update(ana, pictured));
    await hours(tablet, 1);
    await ok(tablet.client.individuals.update(ben, rename("Reyes")));
    await asOffice(world, { birthDate: "1970-01-01" }, cleo);
    await hours(tablet, 2);
    expect(await family(ben)).toBe("Reyes");
    expect((await ok(tablet.client.individuals.read(cleo))).record.birthDate).toBe("1970-01-01");
    expect(await tablet.client.parked()).toEqual([]);
    await ok(
      tablet.client.individuals.update(ana, (draft) => {
        delete draft.photo;
      }),
    );
    await hours(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
  });

  it("is a photo for which the network is too slow: it goes without", async () => {
    const waiting = new Set<() => void>();
    const runOut = () => {
      for (const run of [...waiting]) run();
    };
    // However long it takes the rest: only what the network holds back runs out of time.
    const slow =
      (send: Fetch): Fetch =>
      (url, init) =>
        (init.body?.length ?? 0) > 100_000 ? new Promise(() => setImmediate(runOut)) : send(url, init);
    const timers = {
      set(_: number, run: () => void) {
        waiting.add(run);
        return () => void waiting.delete(run);
      },
    };
    const client = clientOn(world, createMemoryMedium(), { fetch: slow(world.send), timers });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(ana, pictured));
    await hours({ client }, 2);
    await ok(
      client.individuals.update(ana, (draft) => {
        delete draft.photo;
        draft.name.family = "Later";
      }),
    );
    await hours({ client }, 1);
    expect(await family(ana)).toBe("Later");
    await client.close();
  });
});

describe("something before the server that lets reads through and no writes", () => {
  const people = names(40);
  const walled =
    (wall: { status: number | null }) =>
    (send: Fetch): Fetch =>
    async (url, init) => {
      const isWrite = init.method !== "GET" && !url.endsWith("/token");
      return wall.status && isWrite
        ? answer(wall.status, "<html>Not now</html>", "text/html")
        : send(url, init);
    };

  it.each([403, 405, 503])(
    "parks nobody's edits, which go by themselves when it is over (%i)",
    async (status) => {
      await populate(people);
      const wall = { status: null as number | null };
      const tablet = await tabletOf(world, "a", { network: walled(wall) });
      for (const value of people) await ok(tablet.client.individuals.update(named(value), rename("Reyes")));
      wall.status = status;
      await hours(tablet, 3);
      expect(tablet.client.status.current).toMatchObject({ parked: 0, lastError: expect.any(String) });
      wall.status = null;
      await hours(tablet, 1);
      expect(tablet.client.status.current).toMatchObject(settled);
    },
  );

  it("lets all of them go, once one gets through, also where it lasted for days", async () => {
    await populate(people);
    const wall = { status: null as number | null };
    const tablet = await tabletOf(world, "a", { network: walled(wall) });
    for (const value of people) await ok(tablet.client.individuals.update(named(value), rename("Reyes")));
    wall.status = 403;
    for (let half = 0; half < 3; half++) {
      await ok(tablet.client.signIn(credentials));
      await hours(tablet, 12);
    }
    await ok(tablet.client.signIn(credentials));
    expect(tablet.client.status.current.parked).toBeGreaterThan(0);
    wall.status = null;
    await ok(tablet.client.individuals.create(personOf("NEW", { family: "New", given: "N" })));
    await hours(tablet, 1);
    expect(tablet.client.status.current).toMatchObject(settled);
  });

  it("does not make a person decide after nine taps on Sync now within a minute", async () => {
    await populate(["ANA"]);
    const wall = { status: null as number | null };
    const tablet = await tabletOf(world, "a", { network: walled(wall) });
    await ok(tablet.client.individuals.update(ana, rename("Reyes")));
    wall.status = 403;
    for (let nth = 0; nth < 9; nth++) {
      world.pass(5_000);
      await tablet.client.sync();
    }
    expect(tablet.client.status.current).toMatchObject({ parked: 0 });
  });
});
