import { createMemoryStore, createRegistry, type JsonObject, operator } from "@fieldroll/core";
import { demoRecords } from "@fieldroll/core/demo";
import { describe, expect, it } from "vitest";
import { loadDemo } from "./demo-load.ts";

const records: readonly JsonObject[] = [...demoRecords({ today: "2026-03-01", households: 120 })];
const newRegistry = () =>
  createRegistry({
    store: createMemoryStore(),
    clock: () => new Date("2026-03-01T08:00:00Z"),
    newId: () => crypto.randomUUID(),
  });
const onProgress = () => {};

describe("loadDemo", () => {
  it("fills an empty registry and tells how far it is", async () => {
    const registry = newRegistry();
    const told: number[] = [];
    const written = await loadDemo(registry, { records, onProgress: (done) => told.push(done) });
    expect(written).toBe(records.length);
    expect(told.at(-1)).toBe(records.length);
    const groups = await registry.as(operator).groups.search({ limit: "500", active: "any" });
    expect(groups.ok && groups.value.data.length).toBe(120);
  });

  it("writes nothing the second time", async () => {
    const registry = newRegistry();
    await loadDemo(registry, { records, onProgress });
    expect(await loadDemo(registry, { records, onProgress })).toBe(0);
  });

  it("goes on where it was broken off", async () => {
    const registry = newRegistry();
    const killed = loadDemo(registry, {
      records,
      onProgress: () => {
        throw new Error("killed");
      },
    });
    await expect(killed).rejects.toThrow("killed");
    expect(await loadDemo(registry, { records, onProgress })).toBe(records.length - 200);
  });

  it("leaves a registry with other records alone", async () => {
    const registry = newRegistry();
    const body = {
      type: "Individual",
      identifier: [{ system: "urn:x", value: "1" }],
      name: { given: "Ana" },
    };
    await registry.as(operator).individuals.create(body);
    expect(await loadDemo(registry, { records, onProgress })).toBe(0);
  });
});
