import { describe, expect, it } from "vitest";
import { person, startService, stores } from "./fixture.ts";

const countByStatus = (answers: readonly { readonly status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

describe.each(stores)("at the same time on %s", (_name, open) => {
  it("one of 200 PATCHes with the same If-Match succeeds", async () => {
    const service = await startService({ open });
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    const path = "/Individual/urn:gov:ph:nid|1";
    const answers = await times(200, (i) =>
      service.call({
        method: "PATCH",
        path,
        body: { name: { given: `N${i}` } },
        headers: { "If-Match": '"1"' },
      }),
    );
    expect(countByStatus(answers)).toEqual({ 200: 1, 409: 199 });
    expect((await service.call({ path })).body.meta.versionId).toBe("2");
  });

  it("one of 200 creates of an identifier succeeds", async () => {
    const service = await startService({ open });
    const answers = await times(200, (i) =>
      service.call({ method: "POST", path: "/Individual", body: person("1", { name: { given: `N${i}` } }) }),
    );
    expect(countByStatus(answers)).toEqual({ 201: 1, 409: 199 });
    expect((await service.call({ path: "/Individual" })).body.data).toHaveLength(1);
  });

  it("one idempotency key has one effect", async () => {
    const service = await startService({ open });
    const request = {
      method: "POST",
      path: "/Individual",
      body: person("1"),
      headers: { "Idempotency-Key": "k1" },
    };
    const answers = await times(20, () => service.call(request));
    expect(countByStatus(answers)).toEqual({ 201: 20 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.get("Idempotent-Replayed") === "true");
    expect(replayed).toHaveLength(19);
  });
});
