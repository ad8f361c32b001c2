import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;
const hour = 3_600_000;

/** What may answer in the place of one feed while all else works. */
const answers = {
  "an empty 500": () => answer(500),
  "a problem of the server": () => {
    const { status, body } = refusal(500, "internal");
    return answer(status, body, "application/problem+json");
  },
  "a page of a network": () => answer(200, "<html>", "text/html"),
  "a page cut short": () => answer(200, '{"data":[', "application/json"),
} as const;

/** What may keep one feed from being read as if it were all the network, or all the server. */
const silences = {
  "no answer": (): Response => {
    throw new TypeError("Failed to fetch");
  },
  "a server that wants to be left alone": () =>
    new Response("", { status: 429, headers: { "retry-after": "60" } }),
} as const;

async function tablet(feeds: readonly string[], failing: string, made: () => Response) {
  const world = await createWorld();
  const { individuals } = world.view;
  await ok(individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  let fails = false;
  const network = (send: Fetch): Fetch => {
    return async (url, init) => {
      const feed = new URL(url).searchParams.get("feed");
      return fails && url.includes("/$changes") && feed === failing ? made() : send(url, init);
    };
  };
  const { client } = world.device("a", { network, feeds });
  await ok(client.signIn(credentials));
  await client.sync();
  fails = true;
  const renamed = await ok(
    client.individuals.update(reference, (draft) => {
      draft.name.given = "Anita";
    }),
  );
  expect(renamed.state).toBe("pending");
  await ok(client.individuals.create({ name: { family: "Made", given: "Here" } }));
  const mend = () => {
    fails = false;
  };
  return { world, individuals, client, mend };
}

/** Once, nothing was sent as long as one feed failed, and nobody was told. */
describe.each(Object.entries(answers))("%s in the place of a feed", (_, made) => {
  it.each(["programs", "all"])("is no reason to wait where another feed answers: %s", async (failing) => {
    const { individuals, client } = await tablet(["programs", "all"], failing, made);
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(individuals.read(ana))).name).toMatchObject({ given: "Anita" });
    expect((await ok(individuals.search({ name: "Made" }))).data).toHaveLength(1);
  });

  it("keeps what waits for a day, and then it meets its records first", async () => {
    const { world, individuals, client, mend } = await tablet(["all"], "all", made);
    expect(await client.sync()).toMatchObject({ pending: 2, sending: 0 });
    world.pass(23 * hour);
    expect(await client.sync()).toMatchObject({ pending: 2, sending: 0 });
    // An office writes meanwhile: it is seen before anything is replaced.
    await ok(individuals.patch(ana, { name: { family: "Reyes" } }, { ifMatch: "*" }));
    world.pass(2 * hour);
    await ok(client.signIn(credentials));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(individuals.read(ana))).name).toMatchObject({ family: "Reyes", given: "Anita" });
    mend();
    expect(await client.sync()).toMatchObject({ pending: 0, lastError: null });
    expect((await ok(client.individuals.read(reference))).record.name).toMatchObject({ family: "Reyes" });
  });
});

/** Once, edits waited as long as one feed took too long for any answer, for nothing told that from no network. */
describe.each(Object.entries(silences))("%s in the place of a feed", (_, made) => {
  it.each(["programs", "all"])("is no reason to wait where another feed answers: %s", async (failing) => {
    const { individuals, client } = await tablet(["programs", "all"], failing, made);
    for (let runs = 0; runs < 4; runs++) await client.sync();
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(individuals.read(ana))).name).toMatchObject({ given: "Anita" });
    expect((await ok(individuals.search({ name: "Made" }))).data).toHaveLength(1);
  });

  it("does not keep another feed from being read", async () => {
    const { individuals, client } = await tablet(["programs", "all"], "programs", made);
    for (let runs = 0; runs < 4; runs++) await client.sync();
    await ok(individuals.patch(ana, { birthDate: "1990-05-03" }, { ifMatch: "*" }));
    for (let runs = 0; runs < 4; runs++) await client.sync();
    expect((await ok(client.individuals.read(reference))).record).toMatchObject({ birthDate: "1990-05-03" });
  });

  it("keeps what waits for a day, and then it meets its records first", async () => {
    const { world, individuals, client, mend } = await tablet(["all"], "all", made);
    for (let runs = 0; runs < 5; runs++)
      expect(await client.sync()).toMatchObject({ pending: 2, sending: 0 });
    await ok(individuals.patch(ana, { name: { family: "Reyes" } }, { ifMatch: "*" }));
    world.pass(25 * hour);
    await ok(client.signIn(credentials));
    await client.sync();
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(individuals.read(ana))).name).toMatchObject({ family: "Reyes", given: "Anita" });
    mend();
    expect(await client.sync()).toMatchObject({ pending: 0, lastError: null });
  });
});

/** Once, nothing was sent as long as one feed could not be read anew. */
it.each([["an empty 500", answers["an empty 500"]], ...Object.entries(silences)] as const)(
  "%s in the place of a feed that is to be read anew keeps edits for a day",
  async (_, made) => {
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    const backup = structuredClone(world.medium);
    let fails = false;
    const network = (send: Fetch): Fetch => {
      return async (url, init) =>
        fails && url.includes("/$changes") && url.includes("feed=programs") ? made() : send(url, init);
    };
    const { client } = world.device("a", { network, feeds: ["programs", "all"] });
    await ok(client.signIn(credentials));
    await client.sync();
    const now = await restoredFrom(backup);
    world.moveTo(now);
    fails = true;
    await ok(client.signIn(credentials));
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.name.given = "Anita";
      }),
    );
    for (let runs = 0; runs < 5; runs++) expect(await client.sync()).toMatchObject({ pending: 1 });
    for (const each of [world, now]) each.pass(25 * hour);
    await ok(client.signIn(credentials));
    for (let runs = 0; runs < 3; runs++) await client.sync();
    expect(client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(now.view.individuals.read(ana))).name).toMatchObject({ given: "Anita" });
  },
);

it("A feed that wants to be left alone for hours puts nothing else off", async () => {
  const made = () => new Response("", { status: 429, headers: { "retry-after": "7200" } });
  const { world, individuals, client } = await tablet(["programs", "all"], "programs", made);
  expect(await client.sync()).toMatchObject({ pending: 0, sending: 0 });
  await ok(individuals.patch(ana, { birthDate: "1990-05-03" }, { ifMatch: "*" }));
  const { nextAttemptAt } = await client.sync();
  expect((await ok(client.individuals.read(reference))).record).toMatchObject({ birthDate: "1990-05-03" });
  expect(Date.parse(nextAttemptAt ?? "") - world.now().getTime()).toBeLessThan(600_000);
});

/** Edits that waited for a day without a network have waited for no feed. */
it("A tablet that was offline for days asks what the server's data are, and does not doubt what it has", async () => {
  let online = true;
  const world = await createWorld();
  await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  const asked: string[] = [];
  const network = (send: Fetch): Fetch => {
    return async (url, init) => {
      if (!online) throw new TypeError("Failed to fetch");
      asked.push(`${init?.method} ${new URL(url).pathname}`);
      return send(url, init);
    };
  };
  const { client } = world.device("a", { network });
  await ok(client.signIn(credentials));
  await client.sync();
  online = false;
  await ok(
    client.individuals.update(reference, (draft) => {
      draft.name.given = "Anita";
    }),
  );
  for (let runs = 0; runs < 5; runs++) await client.sync();
  world.pass(50 * hour);
  for (let runs = 0; runs < 5; runs++) await client.sync();
  online = true;
  await ok(client.signIn(credentials));
  asked.length = 0;
  expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
  expect(asked.filter((line) => line.includes("Individual"))).toHaveLength(1);
});
