import type { FetchResponse } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answering, type OneAnswer } from "./support/bundles.ts";
import {
  answer,
  atBatch,
  names,
  ok,
  peopleIn,
  type Reach,
  refusal,
  settled,
  system,
} from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

describe("requests that travel together", () => {
  let world: World;
  const { seed, ready, rename, families, versions, sentWrites } = peopleIn(() => world);

  beforeEach(async () => {
    world = await createWorld();
  });

  it("are a hundred edits in one request, each with a verdict of its own", async () => {
    await seed(names(100));
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({ network });
    await rename(client, names(100));
    expect(await client.sync()).toMatchObject(settled);
    expect(sentWrites()).toEqual(["POST /api/v2/$batch 200"]);
    expect(sent.map(({ size }) => size)).toEqual([100]);
    expect(await families()).toEqual(Array(100).fill("Reyes"));
    expect(world.effects.filter((effect) => effect !== "")).toHaveLength(100);
  });

  it("are no more than a hundred, and none where there is only one", async () => {
    await seed(names(201));
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({ network });
    await rename(client, names(201));
    expect(await client.sync()).toMatchObject(settled);
    expect(sent.map(({ size }) => size)).toEqual([100, 100]);
    expect(sentWrites().filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
  });

  const broken: readonly (readonly [string, (reach: Reach) => Promise<FetchResponse>])[] = [
    ["a request that is lost", () => Promise.reject(new TypeError("connection refused"))],
    [
      "an answer that is lost",
      async (reach) => {
        await reach();
        throw new TypeError("connection reset");
      },
    ],
    [
      "an answer that is cut short",
      async (reach) => answer(200, (await (await reach()).text()).slice(0, -40)),
    ],
    ["a portal's page", async () => answer(200, "<html>Welcome</html>", "text/html")],
    [
      "500 after the deed",
      async (reach) => {
        await reach();
        return answer(500);
      },
    ],
    ["503", async () => answer(503)],
    [
      "an answer with a verdict too few",
      async (reach) => {
        const bundle = JSON.parse(await (await reach()).text()) as { entry: unknown[] };
        return answer(200, { ...bundle, entry: bundle.entry.slice(1) });
      },
    ],
    [
      "an answer whose verdicts are in disorder",
      async (reach) => {
        const bundle = JSON.parse(await (await reach()).text()) as { entry: unknown[] };
        return answer(200, { ...bundle, entry: [...bundle.entry].reverse() });
      },
    ],
    [
      "an answer that only echoes",
      async (reach) => {
        const bundle = JSON.parse(await (await reach()).text()) as {
          entry: { response: object; resource: object }[];
        };
        const entry = bundle.entry.map(({ response, resource }) => {
          return { response, resource: { ...resource, meta: undefined } };
        });
        return answer(200, { ...bundle, entry });
      },
    ],
  ];

  it.each(broken)(
    "say nothing of their outcome after %s, and are sent again as they were",
    async (_, fault) => {
      await seed(names(4));
      const { sent, network } = atBatch((reach, _sent, nth) => (nth === 1 ? fault(reach) : reach()));
      const { client } = await ready({ network });
      await rename(client, names(4));
      expect(await client.sync()).toMatchObject({ pending: 0, sending: 4, parked: 0 });
      expect(await client.sync()).toMatchObject(settled);
      expect(sent).toHaveLength(2);
      expect(sent[1]).toEqual(sent[0]);
      expect(await families()).toEqual(Array(4).fill("Reyes"));
      expect(await versions()).toEqual(Array(4).fill("2"));
      expect((await ok(client.individuals.search())).data.map(({ record }) => record.meta.versionId)).toEqual(
        Array(4).fill("2"),
      );
    },
  );

  it("have one effect each when they are delivered twice", async () => {
    await seed(names(4));
    const { network } = atBatch(async (reach) => {
      await reach();
      return reach();
    });
    const { client } = await ready({ network });
    await rename(client, names(4));
    expect(await client.sync()).toMatchObject(settled);
    expect(await versions()).toEqual(Array(4).fill("2"));
  });

  it("overwrite nothing that somebody put back after an answer was lost", async () => {
    await seed(names(2));
    const { network } = atBatch(async (reach, _sent, nth) => {
      const given = await reach();
      if (nth === 1) throw new TypeError("connection reset");
      return given;
    });
    const { client } = await ready({ network });
    await rename(client, names(2));
    await client.sync();
    await ok(world.view.individuals.patch(`${system}|P0`, { name: { family: "Cruz" } }, { ifMatch: "*" }));
    expect(await client.sync()).toMatchObject(settled);
    expect((await ok(world.view.individuals.read(`${system}|P0`))).name.family).toBe("Cruz");
    expect((await ok(client.individuals.read(`Individual/${system}|P0`))).record.name.family).toBe("Cruz");
  });

  const refusals: readonly (readonly [
    string,
    OneAnswer,
    { readonly parked: number; readonly sending: number },
    string,
  ])[] = [
    ["422", refusal(422, "validation"), { parked: 1, sending: 0 }, "PATCH once"],
    ["413", refusal(413, "payload-too-large"), { parked: 1, sending: 0 }, "PATCH once"],
    ["403", refusal(403, "authorization"), { parked: 1, sending: 0 }, "PATCH once"],
    ["404", refusal(404, "not-found"), { parked: 1, sending: 0 }, "PATCH once"],
    ["a missing scope", refusal(403, "authorization", { missing_scope: "x" }), { parked: 0, sending: 1 }, ""],
    ["500", { status: 500, body: {} }, { parked: 0, sending: 1 }, ""],
    ["no problem that the API knows", { status: 400, body: {} }, { parked: 0, sending: 1 }, ""],
  ];

  it.each(refusals)("are refused one by one: %s concerns only its record", async (_, refused, figures) => {
    await seed(names(9));
    const { client } = await ready({
      network: answering(({ method, path }) => {
        return method === "PATCH" && path.endsWith("|P4") ? refused : undefined;
      }),
    });
    await rename(client, names(9));
    // What is tried again is told of; the rest went as if nothing were.
    const lastError = figures.sending > 0 ? expect.any(String) : null;
    expect(await client.sync()).toMatchObject({ phase: "idle", pending: 0, lastError, ...figures });
    expect((await families()).filter((family) => family === "Reyes")).toHaveLength(8);
  });

  it("merge what others changed, and ask about what both changed, record by record", async () => {
    await seed(names(12));
    const { sent, network } = atBatch((reach) => reach());
    const { client } = await ready({ network });
    await rename(client, names(12));
    for (const value of ["P2", "P3", "P4", "P5", "P6", "P7"]) {
      const name = value === "P2" ? { family: "Santos" } : { given: "Anita" };
      await ok(world.view.individuals.patch(`${system}|${value}`, { name }, { ifMatch: "*" }));
    }
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 1 });
    expect(sent.map(({ size }) => size)).toEqual([12, 6, 5]);
    expect((await families()).sort()).toEqual([...Array(11).fill("Reyes"), "Santos"]);
  });

  const classes: readonly (readonly [string, OneAnswer, object])[] = [
    ["401", refusal(401, "authentication"), { needsSignIn: true, phase: "signed-out" }],
    ["429", refusal(429, "too-many-requests"), { phase: "waiting" }],
    ["503", refusal(503, "unavailable"), { phase: "waiting" }],
  ];

  it.each(classes)(
    "stop the run when one of them is answered %s, which speaks of all",
    async (_, told, status) => {
      await seed(names(6));
      let refuse = true;
      const { client } = await ready({
        network: answering(({ path }) => (refuse && path.endsWith("|P4") ? told : undefined)),
      });
      await rename(client, names(6));
      expect(await client.sync()).toMatchObject({ pending: 0, sending: 1, parked: 0, ...status });
      expect(world.requests.at(-1)).toContain("/$batch");
      refuse = false;
      await ok(client.signIn(credentials));
      expect(await client.sync()).toMatchObject(settled);
      expect(await versions()).toEqual(Array(6).fill("2"));
    },
  );
});
