import { createMemoryStore } from "@fieldroll/core";
import { expect, it } from "vitest";
import type { Client } from "./clients.ts";
import { createStoredClients, joinDirectories } from "./stored-clients.ts";

const client: Client = { id: "ngo", secretHash: "h", scopes: ["registry:read"], active: true };

it("keeps clients for every process on the store", async () => {
  const store = createMemoryStore();
  expect(await createStoredClients(store).add(client)).toBe(true);
  expect(await createStoredClients(store).find("ngo")).toEqual(client);
  expect(await createStoredClients(store).list()).toEqual([client]);
});

it("adds a client once, however many add it", async () => {
  const clients = createStoredClients(createMemoryStore());
  const added = await Promise.all([1, 2, 3].map(() => clients.add(client)));
  expect(added.filter(Boolean)).toHaveLength(1);
});

it("keeps a client out, and lets it in again", async () => {
  const clock = () => new Date("2026-03-01T08:00:00.400Z");
  const clients = createStoredClients(createMemoryStore(), { clock });
  await clients.add(client);
  const tokensNotBefore = "2026-03-01T08:00:01.000Z";
  expect(await clients.setActive("ngo", false)).toBe(true);
  expect(await clients.find("ngo")).toEqual({ ...client, active: false, tokensNotBefore });
  await clients.setActive("ngo", true);
  expect(await clients.find("ngo")).toEqual({ ...client, tokensNotBefore });
  expect(await clients.setActive("other", false)).toBe(false);
});

it("gives a client another secret, ends what it has, and leaves it out where it is kept out", async () => {
  const clock = () => new Date("2026-03-01T08:00:00.400Z");
  const clients = createStoredClients(createMemoryStore(), { clock });
  await clients.add({ ...client, active: false });
  expect(await clients.setSecret("ngo", "other")).toBe(true);
  const tokensNotBefore = "2026-03-01T08:00:01.000Z";
  expect(await clients.find("ngo")).toEqual({
    ...client,
    active: false,
    secretHash: "other",
    tokensNotBefore,
  });
  expect(await clients.setSecret("other", "h")).toBe(false);
});

it("loses neither of two changes at once", async () => {
  const clients = createStoredClients(createMemoryStore());
  await clients.add(client);
  await Promise.all([clients.setSecret("ngo", "other"), clients.setActive("ngo", false)]);
  expect(await clients.find("ngo")).toMatchObject({ secretHash: "other", active: false });
});

it("ends at each time what was issued since the last, also within one second", async () => {
  const clients = createStoredClients(createMemoryStore(), { clock: () => new Date("2026-03-01T08:00:00Z") });
  await clients.add(client);
  for (const tokensNotBefore of ["2026-03-01T08:00:01.000Z", "2026-03-01T08:00:02.000Z"]) {
    await clients.setActive("ngo", false);
    await clients.setActive("ngo", true);
    expect(await clients.find("ngo")).toEqual({ ...client, tokensNotBefore });
  }
});

it.each(["", "\0", "\ud800", "x".repeat(256)])("knows nobody of an id that can't be one: %j", async (id) => {
  expect(await createStoredClients(createMemoryStore()).find(id)).toBeUndefined();
});

it("takes the earlier directory's client of an id", async () => {
  const later = createStoredClients(createMemoryStore());
  await later.add(client);
  await later.add({ ...client, id: "other" });
  const earlier = { find: async (id: string) => (id === "ngo" ? { ...client, active: false } : undefined) };
  const both = joinDirectories(earlier, later);
  expect((await both.find("ngo"))?.active).toBe(false);
  expect((await both.find("other"))?.active).toBe(true);
});
