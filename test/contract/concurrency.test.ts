import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Call, household, openUsual, person, type Service, startService } from "./fixture.ts";
import { connectionString } from "./support/on-postgres.ts";

/** How many handlers, each with a store of its own, serve the same data; of a pair, each request reaches the next server. */
const deployments: readonly (readonly [
  name: string,
  how: { readonly handlers: number; readonly file: boolean },
])[] =
  connectionString === undefined
    ? [
        ["memory", { handlers: 1, file: false }],
        ["one SQLite connection", { handlers: 1, file: true }],
        ["four SQLite connections on one file", { handlers: 4, file: true }],
      ]
    : [["two servers on PostgreSQL", { handlers: 1, file: false }]];

const countByStatus = (answers: readonly { readonly status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe.each(deployments)("at the same time on %s", (_name, { handlers, file }) => {
  let folder: string;
  let services: Service[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-contract-"));
    services = [];
    for (let i = 0; i < handlers; i++) {
      const open = file ? () => openSqliteStore({ path: join(folder, "registry.db") }) : openUsual;
      services.push(await startService({ open }));
    }
  });
  afterEach(async () => {
    for (const { store } of services) await store.close();
    await rm(folder, { recursive: true });
  });

  const serviceAt = (i: number) => services[i % services.length] as Service;
  const call = (request: Call, i = 0) => serviceAt(i).call(request);
  const times = (count: number, make: (i: number) => Call) =>
    Promise.all(Array.from({ length: count }, (_, i) => call(make(i), i)));
  const create = (body: unknown, path = "/Individual") => call({ method: "POST", path, body });

  it("one of 200 PATCHes with the same If-Match succeeds", async () => {
    await create(person("1"));
    const path = "/Individual/urn:gov:ph:nid|1";
    const answers = await times(200, (i) => {
      return { method: "PATCH", path, body: { name: { given: `N${i}` } }, headers: { "If-Match": '"1"' } };
    });
    expect(countByStatus(answers)).toEqual({ 200: 1, 409: 199 });
    for (const { status, body } of answers) {
      if (status === 409) expect(body.type).toBe("urn:service:error:conflict");
    }
    const won = answers.find(({ status }) => status === 200);
    expect((await call({ path })).body).toEqual(won?.body);
    expect(won?.body.meta.versionId).toBe("2");
  });

  it("one of 200 creates of an identifier succeeds", async () => {
    const answers = await times(200, (i) => {
      return { method: "POST", path: "/Individual", body: person("1", { name: { given: `N${i}` } }) };
    });
    expect(countByStatus(answers)).toEqual({ 201: 1, 409: 199 });
    expect((await call({ path: "/Individual" })).body.data).toHaveLength(1);
  });

  it("one idempotency key has one effect, and one answer", async () => {
    const request = {
      method: "POST",
      path: "/Individual",
      body: person("1"),
      headers: { "Idempotency-Key": "k1" },
    };
    const answers = await times(20, () => request);
    expect(countByStatus(answers)).toEqual({ 201: 20 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.get("Idempotent-Replayed") === "true");
    expect(replayed).toHaveLength(19);
  });

  it("one idempotency key on a PATCH has one effect, whatever If-Match says", async () => {
    await create(person("1"));
    const path = "/Individual/urn:gov:ph:nid|1";
    const headers = { "If-Match": '"1"', "Idempotency-Key": "k2" };
    const answers = await times(20, () => ({
      method: "PATCH",
      path,
      body: { birthDate: "1990-01-01" },
      headers,
    }));
    expect(countByStatus(answers)).toEqual({ 200: 20 });
    expect((await call({ path })).body.meta.versionId).toBe("2");
  });

  it("members that are added at once are all in the group", async () => {
    for (let i = 0; i < 20; i++) await create(person(String(i)));
    await create(household("g", []), "/Group");
    const path = "/Group/urn:service:group|g";
    const answers = await times(20, (i) => {
      const body = { entity: { reference: `Individual/urn:gov:ph:nid|${i}` } };
      return { method: "POST", path: `${path}/$add-member`, body };
    });
    expect(countByStatus(answers)).toEqual({ 201: 20 });
    const { body } = await call({ path });
    expect([body.quantity, body.meta.versionId]).toEqual([20, "21"]);
  });

  it("unconditional PATCHes of different fields all take effect", async () => {
    await create(person("1"));
    const path = "/Individual/urn:gov:ph:nid|1";
    const patches = [
      { birthDate: "1990-01-01" },
      { name: { middle: "L." } },
      { telecom: [{ system: "phone", value: "1" }] },
    ];
    const answers = await times(3, (i) => ({
      method: "PATCH",
      path,
      body: patches[i],
      headers: { "If-Match": "*" },
    }));
    expect(countByStatus(answers)).toEqual({ 200: 3 });
    expect((await call({ path })).body).toMatchObject({
      birthDate: "1990-01-01",
      name: { middle: "L." },
      telecom: [{ value: "1" }],
      meta: { versionId: "4" },
    });
  });

  it("a feed followed while 60 people are created tells each", async () => {
    const seen = new Set<string>();
    let cursor: string | undefined;
    const follow = async () => {
      const query = new URLSearchParams({
        feed: "all",
        limit: "7",
        ...(cursor === undefined ? {} : { cursor }),
      });
      const { body } = await call({ path: `/$changes?${query}` });
      for (const { reference } of body.data) seen.add(reference);
      cursor = body.pagination.next_cursor;
      return body.pagination.has_more as boolean;
    };
    const creating = times(60, (i) => ({ method: "POST", path: "/Individual", body: person(String(i)) }));
    let done = false;
    const finished = creating.then((answers) => {
      done = true;
      return answers;
    });
    while (!done) await follow();
    expect(countByStatus(await finished)).toEqual({ 201: 60 });
    while (await follow());
    expect(seen.size).toBe(60);
  });

  it("pages by name visit each person who stays once, while others come, go and are renamed", async () => {
    for (let i = 10; i < 40; i++) await create(person(String(i), { name: { family: `F${i}` } }));
    const seen: string[] = [];
    let path: string | null = "/Individual?limit=4&_sort=name";
    for (let turn = 0; path; turn++) {
      const {
        body,
      }: { body: { data: { identifier: { value: string }[] }[]; links: { next: string | null } } } =
        await call({ path }, turn);
      seen.push(...body.data.map(({ identifier }) => identifier[0]?.value ?? ""));
      path = body.links.next;
      if (turn > 4) continue;
      await create(person(`new${turn}`, { name: { family: turn % 2 ? "A" : "Z" } }));
      const gone = `/Individual/urn:gov:ph:nid|${39 - turn}`;
      await call(
        { method: "PATCH", path: gone, body: { active: false }, headers: { "If-Match": "*" } },
        turn + 1,
      );
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (let i = 10; i < 35; i++) expect(seen).toContain(String(i));
  });
});
