import { operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { stores } from "./fixture.ts";
import { nobody, openWorld, uuid, type World } from "./registry-style-world.ts";

const fund = (world: World, value: string, currency = "PHP") =>
  world.registry.as(operator).programDesk.setFund(world.program, { value, currency });

describe.each(stores)("programs over %s", (_store, open) => {
  it("are listed and read, ended and archived ones with their status", async () => {
    const { call, program, registry } = await openWorld(open);
    const identifier = [{ system: "urn:service:program", value: "old" }];
    const old = { type: "Program", identifier, name: "Old", targetType: "group", active: false };
    unwrap(await registry.as(operator).programs.create(old));
    const { data, pagination } = (await call({ path: "/programs" })).body;
    expect(pagination).toEqual({ next_cursor: null, has_more: false });
    const cash = {
      ext_id: program,
      model: "service.program",
      name: "Cash",
      description: "For the season",
      status: "active",
      start_date: "2026-01-01",
      end_date: "2026-12-31",
    };
    expect(data).toEqual([
      cash,
      {
        ext_id: expect.stringMatching(uuid),
        model: "service.program",
        name: "Old",
        description: null,
        status: "ended",
        start_date: null,
        end_date: null,
      },
    ]);
    expect((await call({ path: `/programs/${program}` })).body).toEqual({ data: cash });
    const first = await call({ path: "/programs?limit=1" });
    const next = await call({ path: `/programs?limit=1&cursor=${first.body.pagination.next_cursor}` });
    expect(next.body.data).toMatchObject([{ name: "Old" }]);
  });

  it("tell the Program's version when read, and the enrollment's when enrolling", async () => {
    const { call, program, ana, registry } = await openWorld(open);
    const path = `/programs/${program}`;
    expect((await call({ path })).headers.get("ETag")).toBe('"1"');
    const change = { description: "For two seasons" };
    unwrap(await registry.as(operator).programs.patch("urn:service:program|cash", change, { ifMatch: "*" }));
    const read = await call({ path, headers: { "If-None-Match": '"1"' } });
    expect([read.status, read.headers.get("ETag")]).toEqual([200, '"2"']);
    const known = await call({ path, headers: { "If-None-Match": '"2"' } });
    expect([known.status, known.headers.get("ETag")]).toEqual([304, '"2"']);
    const enrolling = { method: "POST", path: `${path}/enroll`, body: { registrant_ext_id: ana } };
    expect((await call(enrolling)).headers.get("ETag")).toBe('"1"');
  });

  it("enroll a registrant once", async () => {
    const { call, program, ana } = await openWorld(open);
    const request = { method: "POST", path: `/programs/${program}/enroll`, body: { registrant_ext_id: ana } };
    const made = await call(request);
    expect(made).toMatchObject({ status: 201 });
    const { ext_id } = made.body.data;
    expect(made.body.data).toEqual({
      ext_id,
      model: "service.program_membership",
      registrant_ext_id: ana,
      registrant_model: "service.registrant",
      program_ext_id: program,
      program_model: "service.program",
      status: "enrolled",
      enrollment_date: "2026-03-01",
    });
    const membership = await call({ path: `/ProgramMembership/urn:service:program-membership|${ext_id}` });
    expect(membership.body).toMatchObject({ status: "enrolled", enrollmentDate: "2026-03-01" });
    expect(await call(request)).toMatchObject({ status: 409, body: { type: "urn:service:error:duplicate" } });
  });

  it.each([
    ["somebody unknown", { registrant_ext_id: nobody }],
    ["what is no UUID", { registrant_ext_id: "7" }],
    ["nobody", {}],
  ])("do not enroll %s", async (_name, body) => {
    const { call, program } = await openWorld(open);
    const answer = await call({ method: "POST", path: `/programs/${program}/enroll`, body });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "/registrant_ext_id" }] } });
  });

  it.each([
    ["is for groups", { targetType: "group" }, ["/registrant_ext_id"]],
    ["has ended", { targetType: "individual", period: { end: "2026-02-28" } }, [""]],
  ])("do not enroll in one that %s", async (_name, more, fields) => {
    const { call, ana, registry } = await openWorld(open);
    const identifier = [{ system: "urn:service:program", value: "other" }];
    const view = registry.as(operator);
    unwrap(await view.programs.create({ type: "Program", identifier, name: "Other", ...more }));
    const listed = unwrap(await view.programDesk.list()).data;
    const { ext_id } = listed.find(({ name }) => name === "Other") ?? { ext_id: "" };
    const body = { registrant_ext_id: ana };
    const answer = await call({ method: "POST", path: `/programs/${ext_id}/enroll`, body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it.each([
    ["GET", `/programs/${nobody}`],
    ["GET", "/programs/nonsense"],
    ["GET", `/programs/${nobody}/cycles`],
    ["POST", `/programs/${nobody}/enroll`],
  ])("that are not there answer %s %s with 404", async (method, path) => {
    const { call } = await openWorld(open);
    const answer = await call({ method, path, ...(method === "POST" && { body: {} }) });
    expect(answer).toMatchObject({
      status: 404,
      body: { type: "http://registry.test/errors/not-found", title: "Program not found" },
    });
  });

  it("have cycles, in their order", async () => {
    const { call, program, cycle, registry } = await openWorld(open);
    const days = { start_date: "2026-02-01", end_date: "2026-02-28" };
    const february = { program_ext_id: program, name: "February", sequence: 0, ...days };
    unwrap(await registry.as(operator).cycles.create(february));
    const { data, pagination } = (await call({ path: `/programs/${program}/cycles` })).body;
    expect(data[1]).toEqual({
      ext_id: cycle,
      model: "service.cycle",
      program_ext_id: program,
      program_model: "service.program",
      name: "March",
      sequence: 1,
      start_date: "2026-03-01",
      end_date: "2026-03-31",
      state: "approved",
    });
    expect(data.map(({ name }: { name: string }) => name)).toEqual(["February", "March"]);
    expect(pagination).toEqual({ next_cursor: null, has_more: false });
    const first = await call({ path: `/programs/${program}/cycles?limit=1` });
    const { next_cursor } = first.body.pagination;
    const next = await call({ path: `/programs/${program}/cycles?limit=1&cursor=${next_cursor}` });
    expect(next.body.data).toEqual([data[1]]);
    expect((await call({ path: `/programs?cursor=${next_cursor}` })).status).toBe(400);
  });
});

describe.each(stores)("entitlements over %s", (_store, open) => {
  it("are listed and read", async () => {
    const { call, entitlement, program, cycle, ana } = await openWorld(open);
    const days = { valid_from: "2026-03-01", valid_until: "2026-03-31" };
    const ids = [await entitlement(days), await entitlement()];
    const read = await call({ path: `/entitlements/${ids[0]}`, as: "finance" });
    expect(read.body).toEqual({
      data: {
        ext_id: ids[0],
        model: "service.entitlement",
        program_ext_id: program,
        program_model: "service.program",
        cycle_ext_id: cycle,
        cycle_model: "service.cycle",
        registrant_ext_id: ana,
        registrant_model: "service.registrant",
        amount: { value: "1200.00", currency: "PHP" },
        ...days,
        state: "pending_validation",
        approved_at: null,
        ern: "ERN-1",
      },
    });
    const first = await call({ path: "/entitlements?limit=1", as: "finance" });
    expect(first.body.data).toEqual([read.body.data]);
    const { next_cursor } = first.body.pagination;
    const next = await call({ path: `/entitlements?limit=1&cursor=${next_cursor}`, as: "finance" });
    expect(next.body).toMatchObject({ data: [{ ext_id: ids[1] }], pagination: { has_more: false } });
    expect((await call({ path: "/entitlements?limit=0", as: "finance" })).status).toBe(400);
    expect((await call({ path: "/entitlements?cursor=x", as: "finance" })).status).toBe(400);
  });

  it("are found by program, cycle, registrant and state", async () => {
    const world = await openWorld(open);
    const { call, entitlement, program, cycle, ana, ben } = world;
    const ids = {
      ana: await entitlement(),
      ben: await entitlement({ registrant_ext_id: ben }),
      approved: await entitlement({ state: "approved" }),
    };
    const found = async (query: string) => {
      const { body } = await call({ path: `/entitlements?${query}`, as: "finance" });
      return body.data.map(({ ext_id }: { ext_id: string }) => ext_id);
    };
    const all = [ids.ana, ids.ben, ids.approved];
    const hers = [ids.ana, ids.approved];
    const waiting = [ids.ana, ids.ben];
    expect({
      program: await found(`program_ext_id=${program}`),
      cycle: await found(`cycle_ext_id=${cycle.toUpperCase()}`),
      registrant: await found(`registrant_ext_id=${ana}`),
      state: await found("state=pending_validation"),
      states: await found("state=pending_validation,approved"),
      together: await found(`cycle_ext_id=${cycle}&registrant_ext_id=${ana}&state=approved`),
      none: await found("state=expired"),
      nobody: await found("registrant_ext_id=018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f"),
      another: await found(`program_ext_id=${cycle}`),
    }).toEqual({
      program: all,
      cycle: all,
      registrant: hers,
      state: waiting,
      states: all,
      together: [ids.approved],
      none: [],
      nobody: [],
      another: [],
    });
  });

  it("give a cursor that belongs to what was asked for", async () => {
    const { call, entitlement, ana } = await openWorld(open);
    const ids = [await entitlement(), await entitlement()];
    const query = `/entitlements?limit=1&registrant_ext_id=${ana}`;
    const first = await call({ path: query, as: "finance" });
    const cursor = `cursor=${first.body.pagination.next_cursor}`;
    const next = await call({ path: `${query}&${cursor}`, as: "finance" });
    expect([first, next].map(({ body }) => body.data[0].ext_id)).toEqual(ids);
    for (const other of ["", "&state=approved"]) {
      const answer = await call({ path: `/entitlements?limit=1${other}&${cursor}`, as: "finance" });
      expect(answer.status).toBe(400);
    }
  });

  it.each([
    ["program_ext_id", "1"],
    ["cycle_ext_id", ""],
    ["registrant_ext_id", "urn:gov:ph:nid|1"],
    ["state", "pending"],
    ["state", "approved,"],
    ["status", "approved"],
  ])("are not found by a malformed condition: %s=%s", async (name, value) => {
    const { call } = await openWorld(open);
    const { status, body } = await call({ path: `/entitlements?${name}=${value}`, as: "finance" });
    expect([status, body.errors[0].field]).toEqual([400, name]);
  });

  it("are approved while the fund lasts, exactly", async () => {
    const world = await openWorld(open);
    const { call, entitlement } = world;
    unwrap(await fund(world, "2400.00"));
    const approve = async () =>
      call({ method: "POST", path: `/entitlements/${await entitlement()}/approve`, as: "finance" });
    const first = await approve();
    expect(first).toMatchObject({
      status: 200,
      body: { data: { state: "approved", approved_at: "2026-03-01T08:00:00.000Z" } },
    });
    expect((await approve()).status).toBe(200);
    const message = expect.stringContaining("more than the 0.00 PHP that remain");
    expect(await approve()).toMatchObject({ status: 422, body: { errors: [{ field: "/amount", message }] } });
    const again = { method: "POST", path: `/entitlements/${first.body.data.ext_id}/approve`, as: "finance" };
    expect(await call(again)).toMatchObject({
      status: 409,
      body: { type: "urn:service:error:invalid-state" },
    });
  });

  it.each(["draft", "rejected", "transferred", "redeemed", "cancelled", "expired"])(
    "are not approved from %s",
    async (state) => {
      const world = await openWorld(open);
      unwrap(await fund(world, "9000.00"));
      const path = `/entitlements/${await world.entitlement({ state })}/approve`;
      const answer = await world.call({ method: "POST", path, as: "finance" });
      expect(answer).toMatchObject({ status: 409, body: { type: "urn:service:error:invalid-state" } });
    },
  );

  it("are not approved from a fund in another currency, or from none", async () => {
    const world = await openWorld(open);
    const request = {
      method: "POST",
      path: `/entitlements/${await world.entitlement()}/approve`,
      as: "finance",
    };
    expect(await world.call(request)).toMatchObject({
      status: 422,
      body: { errors: [{ field: "/amount" }] },
    });
    unwrap(await fund(world, "9000.00", "USD"));
    const answer = await world.call(request);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "/amount/currency" }] } });
  });

  it("have a version, which an approval honours where If-Match is sent", async () => {
    const world = await openWorld(open);
    unwrap(await fund(world, "1200.00"));
    const path = `/entitlements/${await world.entitlement()}`;
    const finance = { path, as: "finance" };
    expect((await world.call(finance)).headers.get("ETag")).toBe('"1"');
    const approve = (ifMatch: string) =>
      world.call({
        ...finance,
        method: "POST",
        path: `${path}/approve`,
        headers: { "If-Match": ifMatch },
      });
    expect(await approve('"99"')).toMatchObject({
      status: 409,
      body: { type: "urn:service:error:conflict" },
    });
    const approved = await approve('"1"');
    expect([approved.status, approved.headers.get("ETag")]).toEqual([200, '"2"']);
    const known = await world.call({ ...finance, headers: { "If-None-Match": '"2"' } });
    expect([known.status, known.headers.get("ETag")]).toEqual([304, '"2"']);
  });

  it.each([
    ["valid until yesterday", { valid_until: "2026-02-28" }, false, 409],
    ["valid until today", { valid_until: "2026-03-01" }, false, 200],
    ["in a cycle that is cancelled", {}, true, 409],
  ])("%s are approved accordingly", async (_name, more, cancelled, status) => {
    const world = await openWorld(open);
    unwrap(await fund(world, "1200.00"));
    const view = world.registry.as(operator);
    const days = { start_date: "2026-03-01", end_date: "2026-03-31" };
    const made = { program_ext_id: world.program, name: "Other", sequence: 2, ...days };
    const cycle = unwrap(await view.cycles.create({ ...made, state: "draft" })).ext_id;
    const path = `/entitlements/${await world.entitlement({ cycle, ...more })}`;
    if (cancelled) unwrap(await view.cycles.move(cycle, "cancelled"));
    const answer = await world.call({ method: "POST", path: `${path}/approve`, as: "finance" });
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.type).toBe("urn:service:error:invalid-state");
    const { data } = (await world.call({ path, as: "finance" })).body;
    expect(data.state).toBe(status === 409 ? "pending_validation" : "approved");
    const { committed } = unwrap(await view.programDesk.fund(world.program)) ?? {};
    expect(committed?.value).toBe(status === 409 ? "0.00" : "1200.00");
  });

  it("of 20 approved at once, as many are as the fund covers", async () => {
    const world = await openWorld(open);
    unwrap(await fund(world, "12000.00"));
    const paths = [];
    for (let i = 0; i < 20; i++) paths.push(`/entitlements/${await world.entitlement()}/approve`);
    const answers = await Promise.all(
      paths.map((path) => world.call({ method: "POST", path, as: "finance" })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    const { committed } = unwrap(await world.registry.as(operator).programDesk.fund(world.program)) ?? {};
    expect(committed).toEqual({ value: "12000.00", currency: "PHP" });
  });

  it("are approved once for one Idempotency-Key", async () => {
    const world = await openWorld(open);
    unwrap(await fund(world, "1200.00"));
    const path = `/entitlements/${await world.entitlement()}/approve`;
    const request = { method: "POST", path, as: "finance", headers: { "Idempotency-Key": "k" } };
    const first = await world.call(request);
    const again = await world.call({ ...request, body: undefined });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  });

  it.each([
    ["GET", ""],
    ["POST", "/approve"],
  ])("that are not there answer %s with 404", async (method, rest) => {
    const { call } = await openWorld(open);
    for (const extId of [nobody, "nonsense"]) {
      const answer = await call({ method, path: `/entitlements/${extId}${rest}`, as: "finance" });
      expect(answer).toMatchObject({ status: 404, body: { title: "Entitlement not found" } });
    }
  });

  it.each([
    ["GET", "/entitlements", "entitlement:read"],
    ["GET", `/entitlements/${nobody}`, "entitlement:read"],
    ["POST", `/entitlements/${nobody}/approve`, "entitlement:write"],
  ])("answer %s %s without the scope with 403 that names it", async (method, path, missing_scope) => {
    const { call } = await openWorld(open);
    expect(await call({ method, path })).toMatchObject({ status: 403, body: { missing_scope } });
  });

  it("are approved with an empty body, and with nothing else", async () => {
    const world = await openWorld(open);
    unwrap(await fund(world, "1200.00"));
    const request = {
      method: "POST",
      path: `/entitlements/${await world.entitlement()}/approve`,
      as: "finance",
    };
    const refused = await world.call({ ...request, body: { amount: 1 } });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: "/amount" }] } });
    expect((await world.call({ ...request, body: {} })).status).toBe(200);
  });
});
