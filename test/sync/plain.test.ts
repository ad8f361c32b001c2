import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { type PlainOptions, plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const hour = 60 * 60_000;
const arrived = { pending: 0, sending: 0, parked: 0, lastError: null };

const person = (value: string, family = "Cruz") => ({
  type: "Individual" as const,
  identifier: [{ system, value }],
  name: { family, given: value },
});

const rename = (client: FieldClient, family: string, reference = ana) =>
  ok(
    client.individuals.update(reference, (draft) => {
      draft.name.family = family;
    }),
  );

const addPhone = (client: FieldClient, value: string) =>
  ok(
    client.individuals.update(ana, (draft) => {
      draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
    }),
  );

/** What happens to the requests that match, once: the request is lost, or its answer. */
interface Trouble {
  /** Requests that are let through before. */
  skip?: number;
  next: { readonly method: string; readonly lost: "request" | "answer" | "never" } | null;
}

function troubled(send: Fetch, trouble: Trouble): Fetch {
  return async (url, init) => {
    const { next } = trouble;
    if (!next || next.method !== init.method || url.endsWith("/token")) return send(url, init);
    if (trouble.skip) {
      trouble.skip--;
      return send(url, init);
    }
    trouble.next = null;
    if (next.lost === "request") throw new TypeError("connection refused");
    const answer = await send(url, init);
    if (next.lost === "answer") throw new TypeError("connection reset");
    return send(url, init).then(() => answer);
  };
}

describe("a server that has only what the specification describes", () => {
  let world: World;
  const onServer = (value = "ANA") => ok(world.view.individuals.read(`${system}|${value}`));
  const change = (value: string, patch: Record<string, unknown>) =>
    ok(world.view.individuals.patch(`${system}|${value}`, patch, { ifMatch: "*" }));

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(person("ANA")));
  });

  async function device(options: PlainOptions & { readonly feeds?: readonly string[] } = {}) {
    const trouble: Trouble = { next: null };
    const { feeds, ...rest } = options;
    const network = (send: Fetch) => troubled(plain(send, rest), trouble);
    const made: Device = world.device("a", { network, ...(feeds && { feeds }) });
    await ok(made.client.signIn(credentials));
    expect(await made.client.sync()).toMatchObject({ firstSync: { complete: true }, lastError: null });
    return { device: made, client: made.client, trouble };
  }

  const held = async (client: FieldClient) => {
    const page = await ok(client.individuals.search({ limit: "500", active: "any" }));
    return page.data.map(({ record }) => record.identifier.map(({ value }) => value).join("+")).sort();
  };

  describe("reading", () => {
    it("takes what is there, and what changes, whoever changes it", async () => {
      const { client } = await device();
      expect(await held(client)).toEqual(["ANA"]);
      await rename(client, "Reyes");
      await change("ANA", { birthDate: "1990-01-01" });
      await ok(world.view.individuals.create(person("BEN")));
      expect(await client.sync()).toMatchObject(arrived);
      expect(await onServer()).toMatchObject({ name: { family: "Reyes" }, birthDate: "1990-01-01" });
      expect(await ok(client.individuals.read(ana))).toMatchObject({
        state: "synced",
        record: { name: { family: "Reyes" }, birthDate: "1990-01-01", meta: { versionId: "3" } },
      });
      expect(await held(client)).toEqual(["ANA", "BEN"]);
    });

    it.each([["all"], ["programs", "area:PH/Cavite"], ["area:PH", "area:KE"]])(
      "takes everything where a device wants the feeds %s",
      async (...feeds) => {
        const { client } = await device({ feeds });
        expect(await held(client)).toEqual(["ANA"]);
        expect(await client.sync()).toMatchObject(arrived);
      },
    );

    it("takes programs alone where nothing else is wanted", async () => {
      const { client } = await device({ feeds: ["programs"] });
      expect(await held(client)).toEqual([]);
    });

    it("asks four short questions when nothing changed, from where it had read to", async () => {
      const { client } = await device({ pageSize: 2 });
      for (let i = 0; i < 9; i++) await ok(world.view.individuals.create(person(`P${i}`)));
      world.pass(hour / 2);
      await ok(world.view.individuals.create(person("LAST")));
      for (let i = 0; i < 2; i++) await client.sync();
      world.requests.length = 0;
      await client.sync();
      expect(world.requests).toEqual(
        ["Program", "Individual", "Group", "ProgramMembership"].map((type) => `GET /api/v2/${type} 200`),
      );
    });

    it("misses none of many that were changed in one instant, over the ends of pages", async () => {
      const { client } = await device({ pageSize: 3 });
      const stopped = world.now();
      const names = Array.from({ length: 10 }, (_, i) => `P${i}`);
      for (const name of names) {
        world.pass(stopped.getTime() - world.now().getTime());
        await ok(world.view.individuals.create(person(name)));
      }
      const stamps = await Promise.all(names.map(async (name) => (await onServer(name)).meta.lastUpdated));
      expect(new Set(stamps).size).toBe(1);
      await client.sync();
      expect(await held(client)).toEqual(["ANA", ...names].sort());
    });
  });

  it("misses nothing that changes behind it while it reads, however late the rest changes", async () => {
    let meanwhile: (() => Promise<void>) | null = null;
    const { client } = world.device("a", {
      network: (send) => {
        const server = plain(send, { pageSize: 2 });
        return async (url, init) => {
          const [deed, isLater] = [meanwhile, /Individual\?.*cursor=/.test(url)];
          if (isLater) meanwhile = null;
          if (isLater) await deed?.();
          return server(url, init);
        };
      },
    });
    await ok(client.signIn(credentials));
    for (let i = 0; i < 3; i++) await client.sync();
    world.pass(hour);
    for (const name of ["P0", "P1", "P2", "P3"]) await ok(world.view.individuals.create(person(name)));
    meanwhile = async () => {
      await change("P0", { birthDate: "1990-01-01" });
      world.pass(hour / 3);
      await change("P3", { birthDate: "1991-01-01" });
    };
    await client.sync();
    expect(meanwhile).toBeNull();
    await client.sync();
    for (const [name, birthDate] of [
      ["P0", "1990-01-01"],
      ["P3", "1991-01-01"],
    ]) {
      expect((await ok(client.individuals.read(`Individual/${system}|${name}`))).record.birthDate).toBe(
        birthDate,
      );
    }
  });

  describe("finding what left", () => {
    const day = 25 * hour;

    it("lets go of a clean record that is erased, and parks an edit of one", async () => {
      await ok(world.view.individuals.create(person("BEN")));
      const erased = new Set<string>();
      const { client } = await device({ erased });
      await rename(client, "Reyes");
      erased.add("ANA").add("BEN");
      world.pass(day);
      await client.sync();
      expect(await client.parked()).toMatchObject([{ reason: "gone", reference: ana }]);
      expect(await held(client)).toEqual(["ANA"]);
      erased.clear();
      await ok(client.resolve(ana, { kind: "retry" }));
      expect(await client.sync()).toMatchObject(arrived);
      expect((await onServer()).name.family).toBe("Reyes");
    });

    it("lets go of a record that was archived, within a day", async () => {
      const { client } = await device();
      await change("ANA", { active: false });
      await client.sync();
      world.pass(day);
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual([]);
    });

    it("keeps what a listing leaves out and the server still has", async () => {
      await ok(world.view.individuals.create(person("BEN")));
      let blind = false;
      const { client } = world.device("a", {
        network: (send) => {
          const server = plain(send);
          return async (url, init) => {
            const response = await server(url, init);
            if (!blind || !/Individual\?/.test(url)) return response;
            const body = JSON.parse(await response.text());
            return Response.json({ ...body, data: body.data.slice(1) });
          };
        },
      });
      await ok(client.signIn(credentials));
      await client.sync();
      blind = true;
      world.pass(day);
      await change("ANA", { birthDate: "1990-01-01" });
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual(["ANA", "BEN"]);
      expect((await ok(client.individuals.read(ana))).record.birthDate).toBe("1990-01-01");
    });

    it("goes on with the looking where an answer failed to come", async () => {
      await ok(world.view.individuals.create(person("BEN")));
      const erased = new Set<string>();
      const { client, trouble, device: made } = await device({ erased });
      erased.add("ANA").add("BEN");
      world.pass(day);
      trouble.skip = 6;
      trouble.next = { method: "GET", lost: "request" };
      expect((await client.sync()).lastError).not.toBeNull();
      const again = made.kill();
      await ok(again.signIn(credentials));
      expect(await again.sync()).toMatchObject(arrived);
      expect(await held(again)).toEqual([]);
    });
  });

  describe("other identifiers", () => {
    const other = { system: "urn:test:card", value: "C1" };

    it("are one record with what was known when one is added and the former one goes", async () => {
      const { client } = await device();
      await addPhone(client, "1");
      await client.sync();
      await change("ANA", { identifier: [other, { system, value: "ANA" }] });
      await client.sync();
      await ok(world.view.individuals.patch("urn:test:card|C1", { identifier: [other] }, { ifMatch: "*" }));
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual(["C1"]);
      expect((await ok(client.individuals.read("Individual/urn:test:card|C1"))).record.telecom).toHaveLength(
        1,
      );
    });

    it("are another record when they replace what was known, and an edit of the former one waits for a person", async () => {
      const { client } = await device();
      await rename(client, "Reyes");
      await change("ANA", { identifier: [other] });
      await client.sync();
      expect(await client.parked()).toMatchObject([{ reason: "gone" }]);
      expect(await held(client)).toEqual(["ANA", "C1"]);
      await ok(client.resolve(ana, { kind: "discard" }));
      world.pass(25 * hour);
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual(["C1"]);
    });

    it("go from one record to another as the server has it", async () => {
      await ok(
        world.view.individuals.create({ ...person("BEN"), identifier: [{ system, value: "BEN" }, other] }),
      );
      const { client } = await device();
      await change("BEN", { identifier: [{ system, value: "BEN" }] });
      await change("ANA", { identifier: [{ system, value: "ANA" }, other] });
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual(["ANA+C1", "BEN"]);
    });

    it("that were changed here stay one record with what the server has", async () => {
      const { client, device: made } = await device();
      await ok(
        client.individuals.update(ana, (draft) => {
          draft.identifier = [other];
        }),
      );
      await change("ANA", { birthDate: "1990-01-01" });
      expect(await client.sync()).toMatchObject(arrived);
      expect(await held(client)).toEqual(["C1"]);
      expect((await ok(made.client.individuals.read("Individual/urn:test:card|C1"))).record.birthDate).toBe(
        "1990-01-01",
      );
    });
  });

  describe("another kind of server", () => {
    /** A device whose server is plain as long as it is said to be. */
    async function changing(isPlain: boolean) {
      const server = { isPlain };
      const network = (send: Fetch) => {
        const stripped = plain(send);
        return ((...request) => (server.isPlain ? stripped : send)(...request)) as Fetch;
      };
      const made = world.device("a", { network });
      await ok(made.client.signIn(credentials));
      await made.client.sync();
      return { made, server };
    }

    it.each([
      ["gets a change feed", true],
      ["loses its change feed", false],
    ])("that %s keeps every record the one it was, and every edit", async (_, before) => {
      const { made, server } = await changing(before);
      const created = await ok(made.client.individuals.create({ name: { family: "Diaz" } }));
      await made.client.sync();
      await rename(made.client, "Reyes");
      await ok(
        made.client.individuals.update(created.reference, (draft) => {
          draft.name.given = "Jo";
        }),
      );
      await change("ANA", { birthDate: "1990-01-01" });
      await ok(world.view.individuals.create(person("BEN")));
      server.isPlain = !before;
      await ok(made.kill().signIn(credentials));
      expect(await made.client.sync()).toMatchObject({ parked: 0, lastError: null });
      expect(await made.client.sync()).toMatchObject(arrived);
      expect((await ok(made.client.individuals.search())).data).toHaveLength(3);
      expect(await onServer()).toMatchObject({ name: { family: "Reyes" }, birthDate: "1990-01-01" });
      expect((await ok(made.client.individuals.read(created.reference))).record.name).toMatchObject({
        family: "Diaz",
        given: "Jo",
      });
      await change("ANA", { birthDate: "1991-01-01" });
      await made.client.sync();
      expect((await ok(made.client.individuals.read(ana))).record.birthDate).toBe("1991-01-01");
    });

    it("that was restored from a backup is read anew", async () => {
      await ok(world.view.individuals.create(person("BEN")));
      const { made } = await changing(true);
      await change("ANA", { birthDate: "1990-01-01" });
      await change("ANA", { birthDate: "1991-01-01" });
      await made.client.sync();
      world.pass(hour);
      const restored = await createWorld();
      restored.pass(2 * hour);
      await ok(restored.view.individuals.create(person("ANA", "Reyes")));
      world.moveTo(restored);
      await ok(made.kill().signIn(credentials));
      expect(await made.client.sync()).toMatchObject(arrived);
      expect(await held(made.client)).toEqual(["ANA"]);
      expect((await ok(made.client.individuals.read(ana))).record).toMatchObject({
        name: { family: "Reyes" },
        meta: { versionId: "1" },
      });
    });
  });
});
