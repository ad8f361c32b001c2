import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { bundle, entry, id } from "./bundle-world.ts";
import { person, type Service, startService, stores } from "./fixture.ts";

describe.each(stores)("a write made under a corrected clock, on %s", (_name, open) => {
  let service: Service;
  const create = (value: string, headers: Record<string, string>) =>
    service.call({ method: "POST", path: "/Individual", body: person(value), headers });
  const skewsOf = async (value: string) => {
    const { body } = await service.call({ path: `/${id(value)}/$history` });
    return body.data.map(({ clockSkew }: { clockSkew?: number }) => clockSkew);
  };

  beforeEach(async () => {
    service = await startService({ open });
  });

  it("says so in the history of the record, and in the audit trail", async () => {
    await create("1", { "X-Clock-Skew": "34560000" });
    const change = { method: "PATCH", path: `/${id("1")}`, body: { birthDate: "1990-01-01" } };
    await service.call({ ...change, headers: { "If-Match": "*", "X-Clock-Skew": "-90000" } });
    await service.call({ ...change, body: { birthDate: "1991-01-01" }, headers: { "If-Match": "*" } });
    expect(await skewsOf("1")).toEqual([undefined, -90_000, 34_560_000]);
    const { data } = unwrap(await service.registry.audit());
    expect(data.flatMap(({ clockSkew = [] }) => clockSkew)).toContain(34_560_000);
    const { body } = await service.call({ path: `/${id("1")}` });
    expect(JSON.stringify(body)).not.toContain("34560000");
  });

  it("says so of each entry of a batch, or of the whole bundle", async () => {
    const own = entry("POST Individual", person("1"));
    const skewed = { ...own, request: { ...Object(own.request), clockSkew: 86_400 } };
    const entries = [skewed, entry("POST Individual", person("2"))];
    const ask = (type: string, headers: Record<string, string>, ...of: readonly unknown[]) =>
      service.call({ method: "POST", path: "/$batch", body: bundle(type, ...of), headers });
    await ask("batch", { "X-Clock-Skew": "90000" }, ...entries);
    await ask("transaction", { "X-Clock-Skew": "100000" }, entry("POST Individual", person("3")));
    expect([await skewsOf("1"), await skewsOf("2"), await skewsOf("3")]).toEqual([
      [86_400],
      [90_000],
      [100_000],
    ]);
    const inside = await ask("transaction", {}, skewed);
    expect([inside.status, inside.body.errors[0].field]).toEqual([422, "/entry/0/request/clockSkew"]);
  });

  it("is announced", async () => {
    const { body } = await service.call({ path: "/metadata" });
    expect(body.features.clockSkew).toBe(true);
  });

  it("is the same request with and without it", async () => {
    const first = await create("1", { "Idempotency-Key": "k", "X-Clock-Skew": "100000" });
    const again = await create("1", { "Idempotency-Key": "k" });
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  it.each(["", "1.5", "1e5", "one day", "12345678901", "+1"])("refuses a skew of %j", async (skew) => {
    const { status, body } = await create("1", { "X-Clock-Skew": skew });
    expect([status, body.errors?.[0]?.field]).toEqual([400, "X-Clock-Skew"]);
  });
});
