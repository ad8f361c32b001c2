import { beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  addProgram,
  api,
  household,
  person,
  type Service,
  startService,
  stores,
} from "./fixture.ts";

const ids = (body: { data: { identifier: { value: string }[] }[] }) =>
  body.data.map(({ identifier }) => identifier[0]?.value);

describe.each(stores)("search on %s", (_name, open) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ open });
    await addProgram(service.registry);
    const create = async (path: string, body: unknown) => {
      const answer = await service.call({ method: "POST", path, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    };
    const people = ["José", "Josefina", "Maria", "عائشة", "अनीता"];
    for (const [i, given] of people.entries()) {
      await create("/Individual", person(`p${i}`, { name: { family: "Reyes", given } }));
    }
    await create("/Group", household("g0", ["Individual/urn:gov:ph:nid|p0"], { name: "Peña" }));
    await create("/Group", household("g1", ["Individual/urn:gov:ph:nid|p1"], { groupType: "family" }));
    await create("/Group", household("g2", [], { active: false }));
    const membership = {
      type: "ProgramMembership",
      identifier: [{ system: "urn:m", value: "m0" }],
      program: { reference: "Program/urn:service:program|cash" },
      beneficiary: { reference: "Group/urn:service:group|g0" },
      status: "enrolled",
      enrollmentDate: "2026-02-01",
    };
    await create("/ProgramMembership", membership);
  });

  const found: readonly (readonly [string, readonly string[]])[] = [
    ["/Individual", ["p0", "p1", "p2", "p3", "p4"]],
    ["/Individual?name=jose", ["p0", "p1"]],
    ["/Individual?name=JOSÉ", ["p0", "p1"]],
    [`/Individual?name=${encodeURIComponent("عائشة")}`, ["p3"]],
    [`/Individual?name=${encodeURIComponent("अनी")}`, ["p4"]],
    ["/Individual?identifier=urn:gov:ph:nid|p2", ["p2"]],
    ["/Individual?identifier=urn%3Agov%3Aph%3Anid%7Cp2", ["p2"]],
    ["/Individual?identifier=p2", ["p2"]],
    ["/Individual?identifier=p9", []],
    ["/Group", ["g0", "g1"]],
    ["/Group?active=any", ["g0", "g1", "g2"]],
    ["/Group?active=false", ["g2"]],
    ["/Group?groupType=household", ["g0"]],
    ["/Group?groupType=household,family", ["g0", "g1"]],
    ["/Group?name=pena", ["g0"]],
    ["/Group?member=Individual/urn:gov:ph:nid|p1", ["g1"]],
    ["/Program?status=active", ["cash"]],
    ["/Program?status=ended", []],
    ["/ProgramMembership?beneficiary=Group/urn:service:group|g0", ["m0"]],
    ["/ProgramMembership?program=Program/urn:service:program|cash&status=enrolled", ["m0"]],
    ["/ProgramMembership?status=paused", []],
  ];
  it.each(found)("%s finds %j", async (path, expected) => {
    const { status, body } = await service.call({ path });
    expect(status).toBe(200);
    expect([...ids(body)].sort()).toEqual(expected);
  });

  it.each([
    ["/Individual?surname=Reyes", "surname"],
    ["/Individual?active=yes", "active"],
    ["/Individual?limit=0", "limit"],
    ["/Individual?limit=501", "limit"],
    ["/Individual?limit=ten", "limit"],
    ["/Individual?cursor=nonsense", "cursor"],
    ["/Individual?_sort=shoe", "_sort"],
    ["/Individual?birthdate=soon", "birthdate"],
    ["/Group?member=p1", "member"],
    ["/ProgramMembership?status=gone", "status"],
    ["/Individual/urn:gov:ph:nid|p1?shoe=1", "shoe"],
  ])("%s is bad and names %s", async (path, field) => {
    const { status, body } = await service.call({ path });
    expect(status).toBe(400);
    expect(body.type).toBe("urn:service:error:bad-request");
    expect(body.errors[0].field).toBe(field);
  });

  it("pages visit each record once, by links.next as by the cursor", async () => {
    const seen: (string | undefined)[] = [];
    let path: string | null = "/Individual?limit=2&_sort=name";
    while (path) {
      const { body }: Answer = await service.call({ path });
      seen.push(...ids(body));
      expect(body.links.self.startsWith(`${api}/Individual?`)).toBe(true);
      expect(body.pagination.has_more).toBe(body.links.next !== null);
      expect(body.pagination.next_cursor === null).toBe(body.links.next === null);
      path = body.links.next;
    }
    expect([...seen].sort()).toEqual(["p0", "p1", "p2", "p3", "p4"]);
    expect(new Set(seen).size).toBe(5);
  });

  it("a cursor belongs to its query", async () => {
    const { body } = await service.call({ path: "/Individual?limit=2" });
    const cursor = encodeURIComponent(body.pagination.next_cursor);
    expect((await service.call({ path: `/Individual?limit=2&cursor=${cursor}` })).status).toBe(200);
    expect((await service.call({ path: `/Individual?limit=2&name=r&cursor=${cursor}` })).status).toBe(400);
    expect((await service.call({ path: `/Group?limit=2&cursor=${cursor}` })).status).toBe(400);
  });
});
