import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok } from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const ben = `Individual/${system}|BEN`;

const html = (status: number) =>
  new Response("<html>no</html>", { status, headers: { "content-type": "text/html" } });

describe("an answer that is no verdict", () => {
  let world: World;
  const person = (value: string) => ({
    type: "Individual",
    identifier: [{ system, value }],
    name: { family: "Cruz", given: value },
  });

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(person("ANA")));
    await ok(world.view.individuals.create(person("BEN")));
  });

  /** A device behind something that may answer in the server's place; `undefined` lets a request through. */
  async function deviceBehind(meet: (url: string, method: string) => Response | undefined) {
    const network =
      (send: Fetch): Fetch =>
      async (url, init) =>
        meet(url, init.method) ?? send(url, init);
    const { client } = world.device("a", { network });
    await ok(client.signIn(credentials));
    await client.sync();
    return client;
  }

  const rename = (family: string) => (draft: { name: { family?: string } }) => {
    draft.name.family = family;
  };

  it("is a 200 with the version that was to be replaced", async () => {
    let stale = true;
    const before = JSON.stringify(await ok(world.view.individuals.read(`${system}|ANA`)));
    const json = { status: 200, headers: { "content-type": "application/json" } };
    const client = await deviceBehind((_, method) =>
      stale && method === "PATCH" ? new Response(before, json) : undefined,
    );
    await ok(client.individuals.update(ana, rename("Reyes")));
    expect(await client.sync()).toMatchObject({ parked: 0 });
    expect((await ok(client.individuals.read(ana))).record.name.family).toBe("Reyes");
    stale = false;
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Reyes");
  });

  it.each([403, 406, 502])(
    "is a %i from something in between, which holds up only its record",
    async (status) => {
      const client = await deviceBehind((url, method) =>
        method === "PATCH" && url.includes("ANA") ? html(status) : undefined,
      );
      await ok(client.individuals.update(ana, rename("Reyes")));
      await ok(client.individuals.update(ben, rename("Santos")));
      await ok(world.view.individuals.create(person("NEW")));
      await client.sync();
      expect((await ok(world.view.individuals.read(`${system}|BEN`))).name.family).toBe("Santos");
      expect((await ok(client.individuals.read(`Individual/${system}|NEW`))).state).toBe("synced");
    },
  );

  it("goes to a person when everything else works and this one never does, and an edit then goes out anew", async () => {
    let wall = true;
    const client = await deviceBehind((url, method) =>
      wall && method === "PATCH" && url.includes("ANA") ? html(403) : undefined,
    );
    await ok(client.individuals.update(ana, rename("Reyes")));
    for (let run = 0; run < 12; run++) await client.sync();
    expect(await client.parked()).toEqual([]);
    world.pass(3_600_000);
    await client.sync();
    expect(await client.parked()).toMatchObject([{ reason: "rejected", reference: ana }]);
    wall = false;
    await ok(client.individuals.update(ana, rename("Small")));
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Small");
  });

  it("does not hide that a request arrived, so that what its person takes back then is taken back", async () => {
    let wall = true;
    const device = world.device("b", {
      network: (send) => async (url, init) => {
        const answer = await send(url, init);
        return wall && init.method === "PATCH" ? html(200) : answer;
      },
    });
    const { client } = device;
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(ana, rename("Reyes")));
    await client.sync();
    await ok(client.individuals.update(ana, rename("Cruz")));
    for (let run = 0; run < 12; run++) await client.sync();
    wall = false;
    for (let run = 0; run < 2; run++) await client.sync();
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).name.family).toBe("Cruz");
  });

  it("is a body too large for what stands before the server: a person makes it smaller", async () => {
    const client = await deviceBehind((_, method) => (method === "PATCH" ? html(413) : undefined));
    await ok(client.individuals.update(ana, rename("Reyes")));
    await client.sync();
    expect(await client.parked()).toMatchObject([{ reason: "rejected" }]);
  });

  /** A device with an edit, whose feed tells of one thing more from now on. */
  async function deviceToldOf(item: object) {
    let told = false;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const response = await send(url, init);
        if (!told || !url.includes("/$changes")) return response;
        const page = JSON.parse(await response.text()) as { data: object[] };
        return answer(200, { ...page, data: [...page.data, item] });
      };
    const { client } = world.device("a", { network });
    await ok(client.signIn(credentials));
    await client.sync();
    told = true;
    await ok(client.individuals.update(ben, rename("Santos")));
    await ok(world.view.individuals.create(person("NEW")));
    return client;
  }

  it("is no page that tells of a kind of record of a later version too", async () => {
    const client = await deviceToldOf({ type: "Household", key: "1", change: "upsert", record: {} });
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, lastError: null });
    expect((await ok(world.view.individuals.read(`${system}|BEN`))).name.family).toBe("Santos");
    expect((await ok(client.individuals.read(`Individual/${system}|NEW`))).state).toBe("synced");
  });

  it("is a page with a damaged record, but edits go out all the same", async () => {
    const client = await deviceToldOf({ type: "Individual", key: "1", change: "upsert", record: {} });
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0 });
    expect((await ok(world.view.individuals.read(`${system}|BEN`))).name.family).toBe("Santos");
    expect(await client.individuals.read(`Individual/${system}|NEW`)).toMatchObject({ ok: false });
  });

  it.each([
    ["failing server", () => html(503)],
    ["framework that has no such page", () => answer(404, { status: 404, error: "Not Found" })],
    ["gateway", () => answer(403, { error: "Forbidden" })],
    ["portal", () => answer(200, { error: "login_required" })],
    ["proxy", () => answer(400, { error: "invalid_request" })],
  ])("of a %s in the token endpoint's place asks nobody to sign in again", async (_, inItsPlace) => {
    let [refuse, down] = [false, false];
    const unauthorized = { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } };
    const client = await deviceBehind((url) => {
      if (url.endsWith("/token")) return down ? inItsPlace() : undefined;
      return refuse ? new Response("", unauthorized) : undefined;
    });
    await ok(client.individuals.update(ana, rename("Reyes")));
    [refuse, down] = [true, true];
    expect(await client.sync()).toMatchObject({ needsSignIn: false });
    [refuse, down] = [false, false];
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0 });
  });
});
