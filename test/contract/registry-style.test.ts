import { operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { stores } from "./fixture.ts";
import { nobody, openWorld, uuid } from "./registry-style-world.ts";

const registrants = "/registry/registrant";

describe.each(stores)("registrants over %s", (_store, open) => {
  it("are created as Individuals, read and replaced", async () => {
    const { call } = await openWorld(open);
    const body = { name: "Carla Santos", birthdate: "1990-05-01", gender: "female" };
    const made = await call({ method: "POST", path: registrants, body });
    expect(made.status).toBe(201);
    const { ext_id } = made.body.data;
    expect(ext_id).toMatch(uuid);
    expect(made.body).toEqual({ data: { ext_id, model: "service.registrant", ...body } });
    expect(made.headers.get("Location")).toBe(`http://registry.test/api/v2${registrants}/${ext_id}`);
    expect(made.headers.get("ETag")).toBe('"1"');
    const individual = await call({ path: `/Individual/urn:service:registrant|${ext_id}` });
    expect(individual.body).toMatchObject({
      name: { text: "Carla Santos" },
      gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] },
    });
    const path = `${registrants}/${ext_id}`;
    const replaced = await call({ method: "PUT", path, body: { ...made.body.data, gender: null } });
    expect(replaced).toMatchObject({ status: 200, body: { data: { ...body, gender: null } } });
    expect(replaced.headers.get("ETag")).toBe('"2"');
    const read = await call({ path });
    expect(read.body).toEqual(replaced.body);
    expect(read.headers.get("X-Consent-Status")).toBe("legal_basis");
    const known = await call({ path, headers: { "If-None-Match": '"2"' } });
    expect(known.status).toBe(304);
  });

  it.each([
    [registrants, "/Individual"],
    ["/programs", "/Program"],
  ])("of %s and the searches of %s refuse each other's cursors", async (listed, searched) => {
    const { call, registry } = await openWorld(open);
    const identifier = [{ system: "urn:service:program", value: "other" }];
    const other = { type: "Program", identifier, name: "Other", targetType: "group" };
    unwrap(await registry.as(operator).programs.create(other));
    const cursorOf = async (path: string) =>
      encodeURIComponent((await call({ path: `${path}?limit=1` })).body.pagination.next_cursor);
    const [own, foreign] = [await cursorOf(listed), await cursorOf(searched)];
    const statuses = await Promise.all(
      [
        `${listed}?limit=1&cursor=${own}`,
        `${searched}?limit=1&cursor=${foreign}`,
        `${listed}?limit=1&cursor=${foreign}`,
        `${searched}?limit=1&cursor=${own}`,
      ].map(async (path) => (await call({ path })).status),
    );
    expect(statuses).toEqual([200, 200, 400, 400]);
  });

  it("show people who were registered as Individuals under their one key", async () => {
    const { call } = await openWorld(open);
    const identifier = [{ system: "urn:gov:ph:nid", value: "7" }];
    const name = { family: "Lim", given: "Dan", middle: "Go" };
    await call({ method: "POST", path: "/Individual", body: { type: "Individual", identifier, name } });
    const { body } = await call({ path: registrants });
    const dan = body.data.find((one: { name: string }) => one.name === "Dan Go Lim");
    expect(dan).toEqual({
      ext_id: expect.stringMatching(uuid),
      model: "service.registrant",
      name: "Dan Go Lim",
      birthdate: null,
      gender: null,
    });
    const path = `${registrants}/${dan.ext_id}`;
    expect((await call({ path })).body.data).toEqual(dan);
    expect((await call({ path: path.replace(dan.ext_id, dan.ext_id.toUpperCase()) })).body.data).toEqual(dan);
    await call({ method: "PUT", path, body: { name: "Dan Go Lim", birthdate: "1980-01-01" } });
    expect((await call({ path: "/Individual/urn:gov:ph:nid|7" })).body).toMatchObject({
      name: { ...name, text: "Dan Go Lim" },
      birthDate: "1980-01-01",
    });
  });

  it.each<[string, number, Record<string, string>]>([
    ["the current version", 200, { "If-Match": '"1"' }],
    ["none", 200, {}],
    ["any", 200, { "If-Match": "*" }],
    ["another version", 409, { "If-Match": '"7"' }],
    ["a weak tag", 200, { "If-Match": 'W/"1"' }],
    ["a weak tag of another version", 409, { "If-Match": 'W/"7"' }],
    ["what is no tag", 400, { "If-Match": "1" }],
  ])("are replaced with If-Match of %s: %i", async (_name, status, headers) => {
    const { call, ana } = await openWorld(open);
    const body = { name: "Ana Lim" };
    expect((await call({ method: "PUT", path: `${registrants}/${ana}`, body, headers })).status).toBe(status);
    const { data } = (await call({ path: `${registrants}/${ana}` })).body;
    expect(data.name).toBe(status === 200 ? "Ana Lim" : "Ana Reyes");
  });

  it("are listed once each, page by page, archived ones left out", async () => {
    const { call, ana, registry } = await openWorld(open);
    const view = registry.as(operator);
    for (let i = 0; i < 6; i++) unwrap(await view.registrants.create({ name: `Person ${i}` }));
    const archive = { method: "PATCH", body: { active: false }, headers: { "If-Match": "*" } };
    await call({ ...archive, path: `/Individual/urn:service:registrant|${ana}` });
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await call({ path: `${registrants}?limit=3${cursor && `&cursor=${cursor}`}` });
      expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null);
      seen.push(...body.data.map((one: { ext_id: string }) => one.ext_id));
      cursor = body.pagination.next_cursor ?? "";
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(7);
    expect(seen).toEqual(seen.toSorted());
    expect(seen).not.toContain(ana);
  });

  it.each(["limit=0", "limit=501", "limit=x", "limit=1&limit=2", "cursor=x", "cursor=", "offset=1"])(
    "refuse a list with %s",
    async (query) => {
      const { call } = await openWorld(open);
      const answer = await call({ path: `${registrants}?${query}` });
      expect(answer).toMatchObject({
        status: 400,
        body: { type: "urn:service:error:bad-request", errors: [{ field: query.split("=")[0] }] },
      });
    },
  );

  it.each([
    ["GET", nobody],
    ["GET", "7"],
    ["GET", "7%2F..%2F8"],
    ["PUT", nobody],
    ["PUT", "nonsense"],
  ])("answer %s of %s with 404 as this half does", async (method, extId) => {
    const { call } = await openWorld(open);
    const path = `${registrants}/${extId}`;
    const answer = await call({ method, path, ...(method === "PUT" && { body: { name: "A" } }) });
    expect(answer).toMatchObject({
      status: 404,
      body: {
        type: "http://registry.test/errors/not-found",
        title: "Registrant not found",
        status: 404,
        detail: expect.stringContaining(decodeURIComponent(extId)),
        instance: `/api/v2${path}`,
      },
    });
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
  });

  it("tell every fault of a body at once", async () => {
    const { call, ana } = await openWorld(open);
    const body = { birthdate: "2026-02-30", gender: "m", id: 7 };
    for (const [method, path] of [
      ["POST", registrants],
      ["PUT", `${registrants}/${ana}`],
    ] as const) {
      const answer = await call({ method, path, body });
      expect(answer).toMatchObject({ status: 422, body: { type: "urn:service:error:validation" } });
      const fields = answer.body.errors.map(({ field }: { field: string }) => field);
      expect(fields.toSorted()).toEqual(["/birthdate", "/gender", "/id", "/name"]);
    }
  });

  it("can't become somebody else", async () => {
    const { call, ana } = await openWorld(open);
    const body = { ext_id: nobody, model: "service.program", name: "A" };
    const answer = await call({ method: "PUT", path: `${registrants}/${ana}`, body });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(["/ext_id", "/model"]);
  });

  it("are created once for one Idempotency-Key", async () => {
    const { call } = await openWorld(open);
    const post = { method: "POST", path: registrants, headers: { "Idempotency-Key": "k1" } };
    const first = await call({ ...post, body: { name: "Eva" } });
    const again = await call({ ...post, body: { name: "Eva" } });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("Location")).toBe(first.headers.get("Location"));
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const other = await call({ ...post, body: { name: "Ira" } });
    expect(other).toMatchObject({ status: 422, body: { type: "urn:service:error:idempotency-mismatch" } });
    const { ext_id } = first.body.data;
    const put = {
      method: "PUT",
      path: `${registrants}/${ext_id}`,
      headers: { "Idempotency-Key": "k2", "If-Match": '"1"' },
    };
    expect((await call({ ...put, body: { name: "Eve" } })).status).toBe(200);
    const replay = await call({ ...put, body: { name: "Eve" } });
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect(replay.body.data.name).toBe("Eve");
  });
});
