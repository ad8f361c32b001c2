import { beforeEach, describe, expect, it } from "vitest";
import { person, type Service, startService, stores } from "./fixture.ts";

describe.each(stores)("$changes on %s", (_name, open) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ open });
    for (const id of ["1", "2", "3"]) {
      const address = [{ country: "PH", state: "Cebu", city: id === "3" ? "Argao" : "Carcar" }];
      await service.call({ method: "POST", path: "/Individual", body: person(id, { address }) });
    }
  });

  const follow = async (feed: string, from?: string) => {
    const items: { reference: string; change: string; reason?: string; photo?: boolean; record?: unknown }[] =
      [];
    let cursor = from;
    for (;;) {
      const query = new URLSearchParams({ feed, limit: "2", ...(cursor === undefined ? {} : { cursor }) });
      const { status, body } = await service.call({ path: `/$changes?${query}` });
      expect(status).toBe(200);
      items.push(...body.data);
      cursor = body.pagination.next_cursor as string;
      if (!body.pagination.has_more) return { items, cursor, epoch: body.epoch };
    }
  };

  it("tells every record of a feed once, page by page", async () => {
    const { items, epoch } = await follow("all");
    expect(items.map(({ reference }) => reference)).toEqual([
      "Individual/urn:gov:ph:nid|1",
      "Individual/urn:gov:ph:nid|2",
      "Individual/urn:gov:ph:nid|3",
    ]);
    expect(items[0]).toMatchObject({
      type: "Individual",
      versionId: "1",
      change: "upsert",
      record: person("1"),
    });
    expect(epoch).toMatch(/./);
    expect((await follow("area:PH/Cebu/Carcar")).items).toHaveLength(2);
    expect((await follow("area:PH")).items).toHaveLength(3);
  });

  it("tells of a person whether there is a photo, without the photo", async () => {
    const photo = "data:image/jpeg;base64,/9j/2gAC/9k=";
    const headers = { "If-Match": "*" };
    await service.call({ method: "PATCH", path: "/Individual/urn:gov:ph:nid|2", body: { photo }, headers });
    const { items } = await follow("all");
    expect(items.map(({ reference, photo: has }) => [reference.slice(-1), has])).toEqual([
      ["1", false],
      ["3", false],
      ["2", true],
    ]);
    for (const { record } of items) expect(record).not.toHaveProperty("photo");
  });

  it("goes on from a cursor, and tells what left without its content", async () => {
    const { cursor } = await follow("area:PH/Cebu/Carcar");
    expect((await follow("area:PH/Cebu/Carcar", cursor)).items).toEqual([]);
    const headers = { "If-Match": "*" };
    const moved = { address: [{ country: "PH", state: "Cebu", city: "Argao" }] };
    await service.call({ method: "PATCH", path: "/Individual/urn:gov:ph:nid|1", body: moved, headers });
    const archived = { active: false };
    await service.call({ method: "PATCH", path: "/Individual/urn:gov:ph:nid|2", body: archived, headers });
    const { items } = await follow("area:PH/Cebu/Carcar", cursor);
    expect(items).toMatchObject([
      { reference: "Individual/urn:gov:ph:nid|1", change: "removed", reason: "left-feed" },
      { reference: "Individual/urn:gov:ph:nid|2", change: "removed", reason: "archived" },
    ]);
    for (const item of items) expect(item).not.toHaveProperty("record");
    expect((await follow("area:PH/Cebu/Argao")).items).toHaveLength(2);
  });

  it("is also reached as %24changes, and without a feed tells all", async () => {
    expect((await service.call({ path: "/%24changes" })).body.data).toHaveLength(3);
  });

  it("has 20 items a page when no limit is given, as /metadata says", async () => {
    for (let id = 4; id <= 21; id++) {
      await service.call({ method: "POST", path: "/Individual", body: person(String(id)) });
    }
    const { body } = await service.call({ path: "/$changes" });
    expect([body.data.length, body.pagination.has_more]).toEqual([20, true]);
    const { limits } = (await service.call({ path: "/metadata" })).body;
    expect(limits.feedPageSize).toEqual({ default: 20, maximum: 500 });
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=x", "limit"],
    ["feed=", "feed"],
    ["feed=aera:KE", "feed"],
    ["feed=area:Kenya", "feed"],
    ["cursor=x", "cursor"],
    ["since=1", "since"],
    ["feed=all&feed=all", "feed"],
  ])("with %s is bad", async (query, field) => {
    const { status, body } = await service.call({ path: `/$changes?${query}` });
    expect([status, body.errors?.[0].field]).toEqual([400, field]);
  });

  it("does not take another feed's cursor", async () => {
    const { cursor } = await follow("area:PH");
    expect(
      (await service.call({ path: `/$changes?feed=all&cursor=${encodeURIComponent(cursor)}` })).status,
    ).toBe(400);
  });

  it.each([
    ["other", "reader"],
    ["reader", "other"],
  ])("takes a cursor from a caller who may write by now, or no more", async (from, to) => {
    const page = await service.call({ path: "/$changes?feed=all", as: from });
    const cursor = encodeURIComponent(page.body.pagination.next_cursor);
    const next = await service.call({ path: `/$changes?feed=all&cursor=${cursor}`, as: to });
    expect([next.status, next.body.data]).toEqual([200, []]);
  });
});
