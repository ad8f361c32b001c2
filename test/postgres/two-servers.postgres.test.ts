import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { person } from "../contract/fixture.ts";
import {
  authorization,
  client,
  clientsFile,
  run,
  serve,
  useCommandLine,
} from "../contract/support/command-line.ts";
import { type RoundRobin, startRoundRobin } from "./round-robin.ts";

const server = inject("postgres");
const url = "url" in server ? server.url : "";

describe("two fieldroll serve on one PostgreSQL, behind a round-robin,", { timeout: 240_000 }, () => {
  useCommandLine();
  let database: string;
  let schema: string;
  let proxy: RoundRobin | undefined;

  beforeEach(({ skip }) => {
    if ("absent" in server) skip(server.absent);
    schema = `pair_${randomBytes(6).toString("hex")}`;
    database = `${url}?schema=${schema}`;
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
    if (url === "") return;
    const admin = new Client({ connectionString: url });
    await admin.connect();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  async function startPair() {
    const file = await clientsFile([client]);
    // At the same moment, on a database without tables.
    const start = () => serve("--database", database, "--clients", file);
    const servers = await Promise.all([start(), start()]);
    proxy = await startRoundRobin(servers.map(({ authUrl }) => authUrl));
    const api = `${proxy.url}/api/v2`;
    const headers = await authorization(proxy.url);
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${api}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    const post = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
      ask("/Individual", { method: "POST", body: JSON.stringify(body), headers: more });
    return { servers, origin: proxy.url, ask, post };
  }

  const ana = "/Individual/urn:gov:ph:nid%7C1";
  const times = <T>(count: number, make: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, i) => make(i)));
  const statusesOf = (answers: readonly Response[]) => answers.map(({ status }) => status).sort();

  it("act as one: tokens, idempotency keys, versions, cursors and clients", async () => {
    const added = await run(
      ...["client", "add", "desk", "--scopes", "registry:read", "--legal-basis", "public_task"],
      ...["--database", database, "--create"],
    );
    expect(added.code).toBe(0);
    const desk = {
      id: "desk",
      secret: /"secret":\s*"([^"]+)"/.exec(added.output)?.[1] ?? added.output.trim(),
    };
    const { servers, origin, ask, post } = await startPair();

    // Four in turn reach each server twice, with one token and one key.
    const created = await times(4, () => post(person("1"), { "Idempotency-Key": "k" }));
    expect(statusesOf(created)).toEqual([201, 201, 201, 201]);
    expect(new Set(await times(4, (i) => (created[i] as Response).text())).size).toBe(1);

    const patch = JSON.stringify({ birthDate: "1990-01-01" });
    const patched = await times(20, () =>
      ask(ana, { method: "PATCH", body: patch, headers: { "If-Match": '"1"' } }),
    );
    expect(statusesOf(patched)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);

    await times(9, (i) => post(person(String(i + 2))));
    const seen: string[] = [];
    for (let path: string | null = "/Individual?limit=2&_sort=name"; path; ) {
      const page = (await (await ask(path)).json()) as {
        data: { identifier: { value: string }[] }[];
        pagination: { next_cursor: string | null };
      };
      seen.push(...page.data.map(({ identifier }) => identifier[0]?.value ?? ""));
      const cursor: string | null = page.pagination.next_cursor;
      path = cursor && `/Individual?limit=2&_sort=name&cursor=${encodeURIComponent(cursor)}`;
    }
    expect(seen.map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

    const headers = await authorization(origin, desk);
    const reads = () => times(4, () => ask(ana, { headers }));
    expect(statusesOf(await reads())).toEqual([200, 200, 200, 200]);
    expect((await run("client", "disable", "desk", "--database", database)).code).toBe(0);
    expect(statusesOf(await reads())).toEqual([401, 401, 401, 401]);
    expect(await Promise.all(servers.map(({ stop }) => stop()))).toEqual([0, 0]);
  });

  it("lose no write that was acknowledged when one is killed, and the other goes on", async () => {
    const { servers, ask, post } = await startPair();
    const acknowledged: string[] = [];
    const cutOff: string[] = [];
    let next = 0;
    const enough = 160;
    const write = async () => {
      while (acknowledged.length < enough) {
        const value = String(++next);
        const answer = await post(person(value), { "Idempotency-Key": value }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(value);
        else cutOff.push(value);
        if (acknowledged.length === enough / 2) servers[0].child.kill("SIGKILL");
      }
    };
    await times(8, write);
    expect(servers[0].child.killed).toBe(true);
    // At most one for each writer, and one more that had come to a connection just closed.
    expect(cutOff.length).toBeLessThanOrEqual(16);

    // Whoever sends the same again with its key learns what became of it, and it is there once.
    for (const value of cutOff)
      expect((await post(person(value), { "Idempotency-Key": value })).status).toBe(201);
    for (const value of [...acknowledged, ...cutOff]) {
      const { status } = await ask(`/Individual/urn:gov:ph:nid%7C${value}`);
      expect([value, status]).toEqual([value, 200]);
    }
    const told = (await (await ask("/$changes?feed=all&limit=500")).json()) as {
      data: { reference: string }[];
    };
    expect(new Set(told.data.map(({ reference }) => reference)).size).toBe(next);
    expect(told.data).toHaveLength(next);
    expect(await servers[1].stop()).toBe(0);
  });
});
