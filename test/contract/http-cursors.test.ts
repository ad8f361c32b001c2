import { beforeAll, describe, expect, it } from "vitest";
import { api, type Service, startService, startWithRecords } from "./fixture.ts";

describe("cursors", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWithRecords();
    for (const name of ["A", "B", "C"]) {
      const body = { name, birthdate: "1990-01-01", gender: "female" };
      await service.call({ method: "POST", path: "/registry/registrant", body });
    }
  });

  const lists = ["/Individual?limit=1", "/Individual?limit=1&_sort=-name", "/$changes?feed=all&limit=1"];
  const style = "/registry/registrant?limit=1";
  it.each([...lists, style])(
    "of %s lead on, and are refused when one sign of them is changed",
    async (path) => {
      const cursor: string = (await service.call({ path })).body.pagination.next_cursor;
      const at = (text: string) => service.call({ path: `${path}&cursor=${encodeURIComponent(text)}` });
      expect((await at(cursor)).status).toBe(200);
      for (const place of [0, Math.floor(cursor.length / 3), cursor.length - 10]) {
        const sign = cursor[place] === "A" ? "B" : "A";
        const changed = `${cursor.slice(0, place)}${sign}${cursor.slice(place + 1)}`;
        const { status, body } = await at(changed);
        expect([status, body.errors?.[0]?.field]).toEqual([400, "cursor"]);
      }
    },
  );

  it.each([...lists, style])(
    "of %s without their code, or of another deployment, are refused",
    async (path) => {
      const cursor: string = (await service.call({ path })).body.pagination.next_cursor;
      const other = await startWithRecords();
      const foreign = await other.call({ path: `${path}&cursor=${encodeURIComponent(cursor)}` });
      expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([400, "cursor"]);
      const bare = cursor.slice(0, cursor.lastIndexOf("."));
      expect((await service.call({ path: `${path}&cursor=${bare}` })).status).toBe(400);
    },
  );

  it("of one query are refused by another", async () => {
    const cursor: string = (await service.call({ path: "/Individual?limit=1" })).body.pagination.next_cursor;
    const { status } = await service.call({ path: `/Group?limit=1&cursor=${encodeURIComponent(cursor)}` });
    expect(status).toBe(400);
  });

  it("stay good at another process on the same store", async () => {
    const { body } = await service.call({ path: "/Individual?limit=1" });
    const twin = await startService({ open: async () => service.store });
    expect((await twin.call({ path: body.links.next })).status).toBe(200);
  });
});

describe("links", () => {
  it("are the request as it was sent, and lead to every page in turn", async () => {
    const service = await startWithRecords();
    const query = "?identifier=urn:gov:ph:nid%7C1,urn:gov:ph:nid|2&limit=1&_total=accurate";
    const first = await service.call({ path: `/Individual${query}` });
    expect(first.body.links.self).toBe(`${api}/Individual${query}`);
    expect(first.body.meta).toEqual({ total: 2 });
    const second = await service.call({ path: first.body.links.next });
    expect(second.body.links.self).toBe(first.body.links.next);
    expect(second.body.links.next).toBeNull();
    expect(second.body.pagination).toEqual({ next_cursor: null, has_more: false });
    const found = [...first.body.data, ...second.body.data].map(({ identifier }) => identifier[0].value);
    expect(found.sort()).toEqual(["1", "2"]);
  });

  it("tell no total that was not asked for", async () => {
    const { body } = await (await startWithRecords()).call({ path: "/Individual" });
    expect(Object.keys(body)).toEqual(["data", "pagination", "links"]);
  });
});
