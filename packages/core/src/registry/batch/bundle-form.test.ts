import { describe, expect, it } from "vitest";
import { bundle, entry, faultsOf, group, open, p1, p2, person, problemOf, statuses } from "./test-bundles.ts";

describe("the form of a bundle", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["nothing", undefined, [" invalid_type"]],
    ["no bundle", {}, ["/resourceType required", "/type required", "/entry required"]],
    [
      "another resource, another type, no entries",
      { resourceType: "Individual", type: "history", entry: [] },
      ["/resourceType invalid_value", "/type invalid_value", "/entry too_short"],
    ],
    [
      "unknown members anywhere",
      {
        ...bundle("batch", {
          ...entry("GET Individual"),
          x: 1,
          request: { method: "GET", url: "Group", y: 2 },
        }),
        z: 3,
      },
      ["/entry/0/request/y unknown_field", "/entry/0/x unknown_field", "/z unknown_field"],
    ],
    [
      "entries of all kinds, every fault at once",
      bundle(
        "transaction",
        5,
        entry("OPTIONS Individual/urn:gov:id|1"),
        entry("POST Individual"),
        entry("GET Individual", {}),
        entry("PUT Individual/a|b", {}, { ifMatch: '"1' }),
        entry("GET Individual", undefined, { ifMatch: "1" }),
      ),
      [
        "/entry/0 invalid_type",
        "/entry/1/request/method invalid_value",
        "/entry/2/resource required",
        "/entry/3/resource unknown_field",
        "/entry/4/request/ifMatch invalid_value",
        "/entry/5/request/ifMatch unknown_field",
      ],
    ],
    [
      "one fullUrl twice",
      bundle(
        "batch",
        entry("GET Group", undefined, { fullUrl: p1 }),
        entry("GET Group", undefined, { fullUrl: p1 }),
      ),
      ["/entry/1/fullUrl duplicate"],
    ],
    [
      "placeholders that nothing declares",
      bundle(
        "batch",
        entry("POST Individual", person("9")),
        entry("PATCH Group/urn:service:group|a", { member: [{ entity: { reference: p2 } }] }),
        entry("POST Group", group("g", "Individual/urn:gov:id|1", p1)),
      ),
      [
        "/entry/1/resource/member/0/entity/reference unknown_placeholder",
        "/entry/2/resource/member/1/entity/reference unknown_placeholder",
      ],
    ],
    [
      "entries that wait for each other",
      bundle(
        "batch",
        entry("POST Group", group("g", p2), { fullUrl: p1 }),
        entry("POST Group", group("h", p1), { fullUrl: p2 }),
      ),
      [
        "/entry/0/resource/member/0/entity/reference circular_reference",
        "/entry/1/resource/member/0/entity/reference circular_reference",
      ],
    ],
  ])("refuses %s", async (_name, body, expected) => {
    const { view } = await open();
    expect(faultsOf(await view.batch(body))?.toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ["a method that is none", entry("BREW Individual"), "must be one of POST, PUT, PATCH, GET"],
    [
      "an entry that names itself",
      entry("POST Group", group("g", p1), { fullUrl: p1 }),
      "names its own entry",
    ],
  ])("says of %s what is possible", async (_name, bad, message) => {
    const { view } = await open();
    const told = problemOf(await view.batch(bundle("transaction", bad))).errors ?? [];
    expect(told.map((error) => error.message.slice(0, message.length))).toEqual([message]);
    expect(told[0]?.message).not.toContain("DELETE");
  });

  it.each(["http://h/api/v2/Individual", "/api/v2/Individual", "Individual/urn:gov:id|1/$history", "$batch"])(
    "says where the url %s would be looked for",
    async (url) => {
      const { view } = await open();
      const problem = problemOf(await view.batch(bundle("transaction", entry(`GET ${url}`))));
      expect(problem).toMatchObject({ kind: "not-found", entry: 0 });
      expect(problem.detail).toContain("relative to the API's root");
    },
  );

  it("refuses more than a hundred entries, and takes a hundred", async () => {
    const { view } = await open();
    const entries = Array.from({ length: 101 }, () => entry("GET Individual/urn:gov:id|1"));
    expect(problemOf(await view.batch(bundle("batch", ...entries)))).toMatchObject({
      kind: "payload-too-large",
      detail: "/entry: must have at most 100 entries, and has 101. Send several bundles.",
    });
    expect(statuses(await view.batch(bundle("batch", ...entries.slice(1))))).toHaveLength(100);
  });
});
