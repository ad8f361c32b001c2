import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { answering, requestsIn } from "./support/bundles.ts";
import { answer, atBatch, names, ok, peopleIn, refusal, settled, sizes, system } from "./support/people.ts";
import { createWorld, type World } from "./support/world.ts";

describe("requests that could travel together", () => {
  let world: World;
  const { seed, ready, rename, families, versions, sentWrites } = peopleIn(() => world);

  beforeEach(async () => {
    world = await createWorld();
  });

  it("are halved while they are too much, and no larger than what worked from then on", async () => {
    await seed(names(100));
    const most = 30;
    const { sent, network } = atBatch(async (reach, { size }) => {
      return size > most ? answer(413, "<html>Too large</html>", "text/html") : reach();
    });
    const device = await ready({ network });
    await rename(device.client, names(100));
    expect(await device.client.sync()).toMatchObject(settled);
    expect(sizes(sent)).toEqual([100, 50, 25, 25, 25, 25]);
    sent.length = 0;
    await rename(device.client, names(100), "Santos");
    expect(await device.client.sync()).toMatchObject(settled);
    expect(sent.map(({ size }) => size)).toEqual([25, 25, 25, 25]);
    expect(await families()).toEqual(Array(100).fill("Santos"));
  });

  it("are halved down to single requests, of which the one that is too large waits for a person", async () => {
    await seed(names(6));
    const { sent, network } = atBatch(async () => answer(413, "<html>Too large</html>", "text/html"));
    const { client } = await ready({
      network: (send) => {
        const stood = network(send);
        const tooLarge = answering(({ path }) =>
          path.endsWith("|P4") ? refusal(413, "payload-too-large") : undefined,
        )(send);
        return (url, init) => (url.includes("/$batch") ? stood : tooLarge)(url, init);
      },
    });
    await rename(client, names(6));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect(sizes(sent)).toEqual([6, 3]);
    expect((await families()).filter((family) => family === "Reyes")).toHaveLength(5);
  });

  it.each([
    ["404", answer(404, "", "text/html")],
    ["405", answer(405, "", "text/html")],
    [
      "a refusal of the operation",
      answer(403, refusal(403, "authorization").body, "application/problem+json"),
    ],
  ])("travel alone after %s, without asking again", async (_, refused) => {
    await seed(names(5));
    const { sent, network } = atBatch(async () => refused.clone());
    const { client } = await ready({ network });
    for (const family of ["Reyes", "Santos"]) {
      await rename(client, names(5), family);
      expect(await client.sync()).toMatchObject(settled);
    }
    expect(sent).toHaveLength(1);
    expect(await families()).toEqual(Array(5).fill("Santos"));
  });

  it("travel alone where the server announces no bundles", async () => {
    await seed(names(5));
    const { client } = await ready({
      network: (send) => async (url, init) => {
        const given = await send(url, init);
        if (!url.endsWith("/metadata")) return given;
        const { features: _, ...statement } = JSON.parse(await given.text()) as { features: object };
        return answer(200, statement);
      },
    });
    await rename(client, names(5));
    expect(await client.sync()).toMatchObject(settled);
    expect(sentWrites()).toHaveLength(5);
    expect(sentWrites()).not.toContain("POST /api/v2/$batch 200");
  });

  it("travel together as soon as the server has said that it takes bundles", async () => {
    await seed(names(40));
    let asked = 0;
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({
      network: (send) => {
        const reach = network(send);
        return (url, init) => {
          const isLost = url.endsWith("/metadata") && ++asked <= 3;
          return isLost ? Promise.reject(new TypeError("connection reset")) : reach(url, init);
        };
      },
    });
    await rename(client, names(40));
    expect(await client.sync()).toMatchObject(settled);
    expect(asked).toBe(4);
    expect(sizes(sent).reduce((sum, size) => sum + size, 0)).toBeGreaterThan(30);
    expect(await versions()).toEqual(Array(40).fill("2"));
  });

  it("part from the one for which all of them are refused", async () => {
    await seed(names(64));
    const { sent, network } = atBatch(async (reach, { body }) => {
      if (!body.includes("|P40")) return reach();
      return answer(422, refusal(422, "validation").body, "application/problem+json");
    });
    const { client } = await ready({ network });
    await rename(client, names(64));
    expect(await client.sync()).toMatchObject(settled);
    expect(sent).toHaveLength(1 + 2 * 5);
    expect(await versions()).toEqual(Array(64).fill("2"));
  });

  it("part in the end from the one at which the server always fails", async () => {
    await seed(names(16));
    const { sent, network } = atBatch(async (reach, { body }) => {
      return body.includes("|P9") ? answer(500) : reach();
    });
    const { client } = await ready({ network });
    await rename(client, names(16));
    for (let run = 0; run < 3; run++) await client.sync();
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(await client.sync()).toMatchObject(settled);
    expect(await versions()).toEqual(Array(16).fill("2"));
  });

  it("part in the end where nothing long gets through", async () => {
    await seed(names(16));
    const { sent, network } = atBatch((reach, { size }) =>
      size > 4 ? Promise.reject(new TypeError("connection reset")) : reach(),
    );
    const { client } = await ready({ network });
    await rename(client, names(16));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject({ sending: 16 });
    for (let run = 0; run < 2; run++) await client.sync();
    expect(client.status.current).toMatchObject(settled);
    expect(sizes(sent).slice(0, 4)).toEqual([16, 16, 6, 6]);
    expect(await versions()).toEqual(Array(16).fill("2"));
  });

  it("are tried again and again while there is no network, and stay together", async () => {
    await seed(names(6));
    const { sent, network } = atBatch((reach) => reach());
    const device = await ready({ network });
    await rename(device.client, names(2));
    await device.client.sync();
    device.online = false;
    await rename(device.client, names(6), "Santos");
    for (let run = 0; run < 9; run++) {
      expect(await device.client.sync()).toMatchObject({ pending: 6, phase: "waiting" });
    }
    device.online = true;
    expect(await device.client.sync()).toMatchObject(settled);
    expect(sizes(sent)).toEqual([6, 2]);
  });

  it("leave an answer that is none where it was, and let it travel alone when it stays so", async () => {
    await seed(names(4));
    const { sent, network } = atBatch(async (reach, { body }) => {
      const bundle = JSON.parse(await (await reach()).text()) as { entry: unknown[] };
      const place = requestsIn(body).findIndex(({ path }) => path.endsWith("|P2"));
      return answer(200, { ...bundle, entry: bundle.entry.with(place, { response: "strange" }) });
    });
    const { client } = await ready({ network });
    await rename(client, names(4));
    expect(await client.sync()).toMatchObject({ sending: 1, pending: 0, parked: 0 });
    expect(await client.sync()).toMatchObject(settled);
    expect(sizes(sent)).toEqual([4]);
    expect(await versions()).toEqual(Array(4).fill("2"));
  });

  it("hold no photo and nothing large: those travel alone", async () => {
    await seed(names(6));
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({ network });
    await rename(client, names(6));
    await ok(
      client.individuals.update(`Individual/${system}|P1`, (draft) => {
        draft.photo = picture(".");
      }),
    );
    await ok(
      client.individuals.update(`Individual/${system}|P2`, (draft) => {
        const lines = Array.from({ length: 20 }, (_, i) => `${i} `.padEnd(240, "x"));
        draft.address = Array.from({ length: 4 }, () => ({ line: lines }));
      }),
    );
    expect(await client.sync()).toMatchObject(settled);
    expect(sent.map(({ size }) => size)).toEqual([4]);
    expect(sentWrites().filter((request) => request.startsWith("PATCH"))).toHaveLength(2);
  });

  it("do not carry an edit that is made while they are on their way", async () => {
    await seed(names(3));
    const { sent, network } = atBatch(async (reach, _sent, nth) => {
      if (nth === 1) await rename(device.client, ["P1"], "Santos");
      return reach();
    });
    const device = await ready({ network });
    await rename(device.client, names(3));
    expect(await device.client.sync()).toMatchObject(settled);
    expect(sent).toHaveLength(1);
    expect(await families()).toEqual(expect.arrayContaining(["Reyes", "Santos", "Reyes"]));
    expect(await versions()).toEqual(expect.arrayContaining(["2", "3", "2"]));
  });

  it("wait for those they refer to, and then travel together too", async () => {
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({ network });
    for (let i = 0; i < 5; i++) {
      await ok(
        client.registerHousehold({
          group: { active: true, groupType: "household", name: `Household ${i}` },
          members: ["Jo", "Lia"].map((given) => ({ individual: { active: true, name: { given } } })),
        }),
      );
    }
    expect(await client.sync()).toMatchObject(settled);
    expect(sent.map(({ size }) => size)).toEqual([10, 5]);
    const { data } = await ok(world.view.groups.search());
    expect(data.map(({ member }) => member?.length)).toEqual(Array(5).fill(2));
  });

  it("take hardly more requests with one in a hundred that nobody can accept", async () => {
    await seed(names(300));
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({
      network: (send) =>
        answering(({ method, path }) =>
          method === "PATCH" && /\|P\d*50$/.test(path) ? refusal(422, "validation") : undefined,
        )(network(send)),
    });
    await rename(client, names(300));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 3 });
    expect(sent).toHaveLength(3);
  });
});
