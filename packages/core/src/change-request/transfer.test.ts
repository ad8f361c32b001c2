import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { unwrap } from "../problem.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller } from "../registry/types.ts";
import { farmer } from "../resource/extensions.ts";
import { createMemoryStore } from "../store/memory.ts";

const bound: Caller = { ...operator, legalBasis: "consent", organization: "NGO" };
const addFarmer = { type: "add_farmer", data: { name: "Ana Reyes", farmer: { farmSize: 2.5 } } };

function open() {
  let ids = 0;
  const registry = createRegistry({
    store: createMemoryStore(),
    newId: () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
    clock: () => new Date("2026-11-21T08:00:00.000Z"),
    extensions: [farmer],
  });
  return {
    registry,
    requests: registry.as(operator).changeRequests,
    forBound: registry.as(bound).changeRequests,
  };
}

async function pendingCopy(): Promise<JsonObject> {
  const { requests } = open();
  const { record } = unwrap(await requests.submit(addFarmer));
  return unwrap(await requests.copy(record.ext_id));
}

it("is not copied for a caller that may not see its data", async () => {
  const { registry, requests } = open();
  const { record } = unwrap(await requests.submit(addFarmer));
  const limited = registry.as({ ...operator, clientId: "bank", fields: ["name"] }).changeRequests;
  expect(await limited.copy(record.ext_id)).toMatchObject({ ok: false, problem: { kind: "authorization" } });
});

describe("a copied change request", () => {
  it("is whole, and the same where it is restored", async () => {
    const copy = await pendingCopy();
    expect(copy).toMatchObject({ request: "add_farmer", status: "pending", data: addFarmer.data });
    const { requests } = open();
    unwrap(await requests.restore(copy));
    expect(unwrap(await requests.copy(String(copy.ext_id)))).toEqual(copy);
  });

  it("goes on where it stood", async () => {
    const copy = await pendingCopy();
    const { requests } = open();
    unwrap(await requests.restore(copy));
    const extId = String(copy.ext_id);
    unwrap(await requests.approve(extId));
    expect(unwrap(await requests.apply(extId)).record.status).toBe("applied");
  });

  it("leaves one that is there as it is", async () => {
    const copy = await pendingCopy();
    const { requests } = open();
    unwrap(await requests.restore(copy));
    unwrap(await requests.approve(String(copy.ext_id)));
    unwrap(await requests.restore(copy));
    expect(unwrap(await requests.read(String(copy.ext_id))).status).toBe("approved");
  });

  it("is refused with every fault, and from a caller that may not decide", async () => {
    const copy = await pendingCopy();
    const { requests, forBound } = open();
    const refused = await requests.restore({ ...copy, ext_id: "7", status: "done" });
    expect(refused.ok ? [] : refused.problem.errors?.map(({ field }) => field)).toEqual([
      "/ext_id",
      "/status",
    ]);
    expect(await forBound.restore(copy)).toMatchObject({ ok: false, problem: { kind: "authorization" } });
  });
});
