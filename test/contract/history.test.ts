import { beforeEach, describe, expect, it } from "vitest";
import { ana, consentWorld, home } from "./consent-world.ts";
import { stores } from "./fixture.ts";
import type { World } from "./world.ts";

describe.each(stores)("$history on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
    world.clock.now = new Date("2026-03-02T08:00:00Z");
    await world.change("ministry", "PATCH", `/${ana}`, { birthDate: "2000-01-01", gender: null });
    world.clock.now = new Date("2026-03-03T08:00:00Z");
    await world.change("ministry", "PATCH", `/${ana}`, { name: { given: "Anna" } });
  });
  const history = async (path = ana, client = "ministry") => {
    const { status, body } = await world.get(client, `/${path}/$history`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };
  interface Entry {
    readonly versionId: string;
    readonly changes: readonly {
      readonly field: string;
      readonly before?: unknown;
      readonly after?: unknown;
    }[];
  }

  it("tells every version: which, when, who, newest first", async () => {
    const data = await history();
    expect(data).toMatchObject([
      {
        versionId: "3",
        at: "2026-03-03T08:00:00.000Z",
        source: "urn:service:api-client:ministry",
        action: "change",
      },
      {
        versionId: "2",
        at: "2026-03-02T08:00:00.000Z",
        source: "urn:service:api-client:ministry",
        action: "change",
      },
      {
        versionId: "1",
        at: "2026-03-01T08:00:00.000Z",
        source: "urn:service:api-client:operator",
        action: "create",
      },
    ]);
  });

  it("tells what changed, with the values before and after", async () => {
    const [newest, middle]: Entry[] = await history();
    expect(newest?.changes).toContainEqual({ field: "/name/given", before: "Ana", after: "Anna" });
    expect(middle?.changes).toContainEqual({
      field: "/birthDate",
      before: "1991-02-03",
      after: "2000-01-01",
    });
    const gender = middle?.changes.find(({ field }) => field.startsWith("/gender"));
    expect(gender).not.toHaveProperty("after");
  });

  it("comes in pages of limit, as searches do", async () => {
    const first = (await world.get("ministry", `/${ana}/$history?limit=2`)).body;
    expect(first.data).toHaveLength(2);
    const cursor = first.pagination.next_cursor;
    expect(first.pagination).toEqual({ next_cursor: expect.any(String), has_more: true });
    const second = (await world.get("ministry", `/${ana}/$history?limit=2&cursor=${cursor}`)).body;
    expect(second.data).toMatchObject([{ versionId: "1", action: "create" }]);
    expect(second.pagination).toEqual({ next_cursor: null, has_more: false });
    expect(second).not.toHaveProperty("complete");
    for (const query of ["limit=0", "limit=501", "cursor=x", "limit=1&limit=2", "other=1"])
      expect((await world.get("ministry", `/${ana}/$history?${query}`)).status, query).toBe(400);
  });

  it("has no entry for a write that changed nothing or was refused", async () => {
    await world.change("ministry", "PATCH", `/${ana}`, { name: { given: "Anna" } });
    await world.change("ministry", "PATCH", `/${ana}`, { birthDate: "nonsense" });
    expect(await history()).toHaveLength(3);
  });

  it("of a group has a member's coming, and of the person has not", async () => {
    await world.post("ministry", `/${home}/$add-member`, {
      entity: { reference: "Individual/urn:gov:ph:nid|2" },
    });
    const [newest]: Entry[] = await history(home);
    expect(newest?.versionId).toBe("2");
    expect(newest?.changes.some(({ field }) => field.startsWith("/member"))).toBe(true);
    expect(await history()).toHaveLength(3);
  });

  it("is found by any identifier that the record has now", async () => {
    const identifier = [{ system: "urn:new", value: "1" }];
    await world.change("ministry", "PATCH", `/${ana}`, { identifier });
    expect(await history("Individual/urn:new|1")).toHaveLength(4);
    expect((await world.get("ministry", `/${ana}/$history`)).status).toBe(404);
  });

  it("of a record that is not there is not found", async () => {
    expect((await world.get("ministry", "/Individual/urn:x|9/$history")).status).toBe(404);
  });

  it("shows a filtered caller the changes of what it sees, and no other", async () => {
    await world.grant({
      subject: ana,
      organization: "Helpers",
      access: "custom",
      fields: ["name.given", "meta"],
    });
    const data: Entry[] = await history(ana, "ngo");
    expect(JSON.stringify(data)).not.toMatch(/1991-02-03|2000-01-01|Reyes|gender|birthDate/);
    expect(data[0]?.changes).toEqual([{ field: "/name/given", before: "Ana", after: "Anna" }]);
  });
});
