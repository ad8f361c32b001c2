import { type ChangeRequestType, farmer, success } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { type Service, startService, stores } from "./fixture.ts";
import { nobody, openWorld, uuid } from "./registry-style-world.ts";

const path = "/change_request";
const farm = { farmSize: 2.5, farmSizeUnit: "ha" };
const addFarmer = {
  type: "add_farmer",
  data: { name: "Eva Lim", birthdate: "1990-01-01", gender: "female", farmer: farm },
};

type Calls = Pick<Service, "call">;

async function submit({ call }: Calls, body: object): Promise<string> {
  const answer = await call({ method: "POST", path, body });
  expect(answer.status).toBe(201);
  return answer.body.data.ext_id;
}

async function applied({ call }: Calls, body: object) {
  const id = await submit({ call }, body);
  for (const move of ["$approve", "$apply"]) {
    const answer = await call({ method: "POST", path: `${path}/${id}/${move}` });
    expect(answer.status).toBe(200);
  }
  return (await call({ path: `${path}/${id}` })).body.data;
}

describe.each(stores)("change requests over %s", (_store, open) => {
  it("are submitted, read, approved and applied", async () => {
    const { call } = await openWorld(open);
    const submitted = await call({ method: "POST", path, body: addFarmer });
    expect(submitted.status).toBe(201);
    const { ext_id } = submitted.body.data;
    expect(submitted.headers.get("Location")).toBe(`http://registry.test/api/v2${path}/${ext_id}`);
    const told = {
      ext_id,
      model: "service.change_request",
      type: "add_farmer",
      submitted_at: "2026-03-01T08:00:00.000Z",
      submitted_by: "writer",
      data: addFarmer.data,
    };
    const reviewed = { reviewed_at: "2026-03-01T08:00:00.000Z", reviewed_by: "other" };
    expect(submitted.body).toEqual({ data: { ...told, status: "pending" } });
    expect((await call({ path: `${path}/${ext_id}` })).body).toEqual(submitted.body);
    const approved = await call({ method: "POST", path: `${path}/${ext_id}/$approve`, as: "other" });
    expect(approved.body).toEqual({ data: { ...told, ...reviewed, status: "approved" } });
    const { body } = await call({ method: "POST", path: `${path}/${ext_id}/$apply` });
    const { registrant_ext_id: extId } = body.data;
    expect(extId).toMatch(uuid);
    expect(body).toEqual({ data: { ...told, ...reviewed, status: "applied", registrant_ext_id: extId } });
    const person = await call({ path: `/Individual/urn:service:registrant|${extId}?_extensions=farmer` });
    expect(person.body).toMatchObject({
      name: { text: "Eva Lim" },
      birthDate: "1990-01-01",
      extension: { farmer: farm },
      meta: { source: "urn:service:api-client:writer" },
    });
  });

  it("edit a farmer by merge-patch, give it a farm, grant its consent", async () => {
    const world = await openWorld(open);
    const { registrant_ext_id: id } = await applied(world, addFarmer);
    const edit = { registrant_ext_id: id, farmer: { farmSize: 3, farmSizeUnit: null } };
    await applied(world, { type: "edit_farmer", data: edit });
    const person = await world.call({ path: `/Individual/urn:service:registrant|${id}?_extensions=farmer` });
    expect(person.body.extension.farmer).toEqual({ url: "urn:service:extension:farmer", farmSize: 3 });
    await applied(world, { type: "create_farm", data: { registrant_ext_id: id, name: "Hill" } });
    const farms = await world.call({ path: "/Group?groupType=other" });
    expect(farms.body.data).toMatchObject([
      {
        name: "Hill",
        quantity: 1,
        member: [{ entity: { reference: `Individual/urn:service:registrant|${id}` } }],
      },
    ]);
    const data = {
      subject: { reference: `Individual/urn:service:registrant|${id}` },
      grantee: { organization: "Aid" },
      scope: [{ resourceType: "Individual", fieldAccess: "basic" }],
    };
    expect((await world.callAid({ path: `/registry/registrant/${id}` })).status).toBe(403);
    const request = await applied(world, { type: "grant_consent", data });
    expect((await world.callAid({ path: `/registry/registrant/${id}` })).body.data.name).toBe("Eva Lim");
    const consent = `/Consent/${request.ext_id}`;
    expect((await world.call({ path: consent })).body.status).toBe("given");
    expect((await world.call({ method: "POST", path: `${consent}/$revoke` })).body.status).toBe("withdrawn");
    expect((await world.callAid({ path: `/registry/registrant/${id}` })).status).toBe(403);
  });

  it.each<[string, object, readonly string[]]>([
    ["an unknown type", { type: "add_cow", data: {} }, ["/type"]],
    ["nothing", {}, ["/data", "/type"]],
    ["a member too many", { ...addFarmer, status: "applied" }, ["/status"]],
    [
      "bad data",
      { type: "add_farmer", data: { name: "", cows: 3 } },
      ["/data/cows", "/data/farmer", "/data/name"],
    ],
    [
      "data that the registry refuses",
      { type: "add_farmer", data: { name: "A", farmer: { farmSize: "2" } } },
      ["/data/farmer/farmSize"],
    ],
    [
      "an edit of nobody",
      { type: "edit_farmer", data: { registrant_ext_id: nobody, farmer: farm } },
      ["/data/registrant_ext_id"],
    ],
  ])("with %s are refused", async (_name, body, fields) => {
    const { call } = await openWorld(open);
    const answer = await call({ method: "POST", path, body });
    expect(answer).toMatchObject({ status: 422, body: { type: "urn:service:error:validation" } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual(fields);
  });

  it.each<[string, object, readonly string[]]>([
    ["a draft", { draft: true }, ["$approve", "$reject", "$revise", "$apply"]],
    ["a pending one", {}, ["$submit", "$apply"]],
  ])("that are %s refuse moves that their state does not allow", async (_name, more, moves) => {
    const { call } = await openWorld(open);
    const id = await submit({ call }, { ...addFarmer, ...more });
    for (const move of moves) {
      const answer = await call({ method: "POST", path: `${path}/${id}/${move}` });
      expect(answer).toMatchObject({ status: 409, body: { type: "urn:service:error:invalid-state" } });
    }
  });

  it("are drafted, submitted, sent back, corrected and submitted again", async () => {
    const { call } = await openWorld(open);
    const id = await submit({ call }, { ...addFarmer, draft: true });
    const move = async (name: string, body?: object) =>
      call({ method: "POST", path: `${path}/${id}/${name}`, ...(body && { body }) });
    const correct = async (data: object) => call({ method: "PUT", path: `${path}/${id}`, body: { data } });
    expect((await move("$submit")).body.data.status).toBe("pending");
    const refused = await correct(addFarmer.data);
    expect([refused.status, refused.body.type]).toEqual([409, "urn:service:error:invalid-state"]);
    for (const word of ["is pending", "become draft", "approved, rejected, revision"]) {
      expect(refused.body.detail).toContain(word);
    }
    expect((await move("$revise", { reason: "Which Eva?" })).body.data).toMatchObject({
      status: "revision",
      reason: "Which Eva?",
      reviewed_by: "writer",
      reviewed_at: "2026-03-01T08:00:00.000Z",
    });
    const early = await move("$submit");
    expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining("Change its data")]);
    const bad = await correct({ name: "" });
    expect([bad.status, bad.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ["/data/name", "/data/farmer"],
    ]);
    const data = { ...addFarmer.data, name: "Eva Lim-Cruz" };
    expect((await correct(data)).body.data).toMatchObject({ status: "draft", data });
    expect((await correct(data)).body.data.status).toBe("draft");
    expect((await move("$submit")).body.data).toMatchObject({ status: "pending", data });
  });

  it("have a version, and honour If-Match where it is sent", async () => {
    const { call } = await openWorld(open);
    const made = await call({ method: "POST", path, body: { ...addFarmer, draft: true } });
    const own = `${path}/${made.body.data.ext_id}`;
    const tag = async () => (await call({ path: own })).headers.get("ETag");
    expect([made.headers.get("ETag"), await tag()]).toEqual(['"1"', '"1"']);
    expect((await call({ path: own, headers: { "If-None-Match": '"1"' } })).status).toBe(304);
    const replace = (ifMatch: string, data: object = addFarmer.data) =>
      call({ method: "PUT", path: own, body: { data }, headers: { "If-Match": ifMatch } });
    const same = await replace('"1"');
    expect([same.status, same.headers.get("ETag")]).toEqual([200, '"1"']);
    const renamed = { ...addFarmer.data, name: "Eva Cruz" };
    const other = await replace('"1"', renamed);
    expect([other.status, other.headers.get("ETag"), await tag()]).toEqual([200, '"2"', '"2"']);
    for (const stale of ['"1"', 'W/"1"']) {
      const refused = await replace(stale);
      expect(refused).toMatchObject({ status: 409, body: { type: "urn:service:error:conflict" } });
      expect(refused.body.detail).toContain("the current version is 2");
    }
    expect((await replace("2")).status).toBe(400);
    expect((await call({ path: own })).body.data.data).toEqual(renamed);
    let version = 2;
    for (const [move, status] of [
      ["$submit", "pending"],
      ["$approve", "approved"],
      ["$apply", "applied"],
    ] as const) {
      const perform = (ifMatch: string) =>
        call({ method: "POST", path: `${own}/${move}`, headers: { "If-Match": ifMatch } });
      expect(await perform(`"${version - 1}"`)).toMatchObject({
        status: 409,
        body: { type: "urn:service:error:conflict" },
      });
      const moved = await perform(`"${version}"`);
      version += 1;
      expect([move, moved.status, moved.body.data.status]).toEqual([move, 200, status]);
      expect([moved.headers.get("ETag"), await tag()]).toEqual([`"${version}"`, `"${version}"`]);
    }
    expect((await call({ path: "/Individual?name=Eva" })).body.data).toHaveLength(1);
  });

  it("changed by many at once on one version are changed once", async () => {
    const { call } = await openWorld(open);
    const id = await submit({ call }, { ...addFarmer, draft: true });
    const calls = Array.from({ length: 10 }, (_, i) => {
      const body = { data: { ...addFarmer.data, name: `Eva ${i}` } };
      return call({ method: "PUT", path: `${path}/${id}`, body, headers: { "If-Match": '"1"' } });
    });
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)]);
  });

  it("are listed oldest first, by status and type, page by page, without their data", async () => {
    const { call } = await openWorld(open);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await submit({ call }, addFarmer));
    await call({ method: "POST", path: `${path}/${ids[1]}/$reject` });
    const list = async (query = "") => (await call({ path: `${path}${query}` })).body;
    const extIds = async (query = "") =>
      (await list(query)).data.map(({ ext_id }: { ext_id: string }) => ext_id);
    expect(await extIds()).toEqual(ids);
    expect((await list()).data[0]).not.toHaveProperty("data");
    expect(await extIds("?status=pending&type=add_farmer")).toEqual([ids[0], ids[2]]);
    expect(await extIds("?status=rejected,applied")).toEqual([ids[1]]);
    expect(await extIds("?type=create_farm")).toEqual([]);
    const first = await list("?limit=1&status=pending");
    expect(first).toMatchObject({ data: [{ ext_id: ids[0] }], pagination: { has_more: true } });
    const cursor = `cursor=${encodeURIComponent(first.pagination.next_cursor)}`;
    expect(await list(`?limit=1&status=pending&${cursor}`)).toMatchObject({
      data: [{ ext_id: ids[2] }],
      pagination: { next_cursor: null, has_more: false },
    });
    for (const query of [
      "?status=open",
      "?status=",
      "?type=",
      "?type=zz",
      "?type=add_farmer,zz",
      "?state=pending",
      "?limit=0",
      `?${cursor}`,
      "?cursor=x",
      "?status=draft&status=pending",
    ]) {
      const { status, body } = await call({ path: `${path}${query}` });
      expect([query, status, body.type]).toEqual([query, 400, "urn:service:error:bad-request"]);
    }
  });

  it("end when they are rejected or applied", async () => {
    const world = await openWorld(open);
    const rejected = await submit(world, addFarmer);
    const reject = { method: "POST", path: `${path}/${rejected}/$reject` };
    expect((await world.call({ ...reject, body: { reason: 7 } })).status).toBe(422);
    expect(await world.call({ ...reject, body: { reason: "twice" } })).toMatchObject({
      body: { data: { status: "rejected", reason: "twice" } },
    });
    expect((await world.call({ path: `${path}/${rejected}` })).body.data.reason).toBe("twice");
    const { ext_id } = await applied(world, addFarmer);
    for (const id of [rejected, ext_id]) {
      for (const move of ["$submit", "$approve", "$reject", "$revise", "$apply"]) {
        const answer = await world.call({ method: "POST", path: `${path}/${id}/${move}` });
        expect(answer.status).toBe(409);
      }
      const replace = { method: "PUT", path: `${path}/${id}`, body: { data: addFarmer.data } };
      expect((await world.call(replace)).status).toBe(409);
    }
  });

  it.each([null, [], "x", 7])("are not moved by %j, which is no object", async (body) => {
    const world = await openWorld(open);
    const id = await submit(world, addFarmer);
    for (const move of ["$submit", "$approve", "$reject", "$revise", "$apply"]) {
      const answer = await world.call({ method: "POST", path: `${path}/${id}/${move}`, body });
      expect([answer.status, answer.body.errors?.[0].code], move).toEqual([422, "invalid_type"]);
    }
    expect((await world.call({ path: `${path}/${id}` })).body.data.status).toBe("pending");
  });

  it.each([
    ["GET", ""],
    ["PUT", ""],
    ["POST", "/$submit"],
    ["POST", "/$approve"],
    ["POST", "/$reject"],
    ["POST", "/$revise"],
    ["POST", "/$apply"],
  ])("that are not there answer %s %s with 404", async (method, rest) => {
    const { call } = await openWorld(open);
    for (const extId of [nobody, "nonsense"]) {
      const body = method === "PUT" ? { body: { data: {} } } : {};
      const answer = await call({ method, path: `${path}/${extId}${rest}`, ...body });
      expect(answer).toMatchObject({
        status: 404,
        body: { type: "http://registry.test/errors/not-found", title: "Change request not found" },
      });
    }
  });

  it("applied by many at once are applied once", async () => {
    const world = await openWorld(open);
    const id = await submit(world, addFarmer);
    await world.call({ method: "POST", path: `${path}/${id}/$approve` });
    const calls = Array.from({ length: 10 }, (_, i) =>
      world.call({ method: "POST", path: `${path}/${id}/$apply`, as: i % 2 ? "writer" : "other" }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)]);
    const people = await world.call({ path: "/Individual?name=Eva" });
    expect(people.body.data).toHaveLength(1);
  });

  it("answer a repeated request with the first answer", async () => {
    const { call } = await openWorld(open);
    const request = { method: "POST", path, body: addFarmer, headers: { "Idempotency-Key": "k" } };
    const first = await call(request);
    const again = await call(request);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const approve = {
      method: "POST",
      path: `${path}/${first.body.data.ext_id}/$approve`,
      headers: { "Idempotency-Key": "k2" },
    };
    expect((await call(approve)).headers.get("Idempotent-Replayed")).toBeNull();
    expect((await call(approve)).headers.get("Idempotent-Replayed")).toBe("true");
  });

  it("of a type that is declared automatic are applied at once", async () => {
    const survey: ChangeRequestType = {
      name: "survey",
      auto: true,
      schema: farmer.schema,
      apply: async ({ farmSize }, { view, idempotency }) => {
        const name = `Farmer of ${String(farmSize)} hectares`;
        const made = await view.registrants.create({ name }, { idempotency: idempotency() });
        return made.ok ? success({ registrantExtId: made.value.record.ext_id }) : made;
      },
    };
    const service = await startService({ open, registry: { changeRequestTypes: [survey] } });
    const answer = await service.call({
      method: "POST",
      path,
      body: { type: "survey", data: { farmSize: 2 } },
    });
    expect(answer).toMatchObject({ status: 201, body: { data: { status: "applied" } } });
    const extId = answer.body.data.registrant_ext_id;
    const made = await service.call({ path: `/registry/registrant/${extId}` });
    expect(made.body.data.name).toBe("Farmer of 2 hectares");
    const undeclared = await service.call({ method: "POST", path, body: addFarmer });
    expect(undeclared).toMatchObject({ status: 422, body: { errors: [{ field: "/type" }] } });
  });
});
