import { beforeEach, describe, expect, it } from "vitest";
import { bundle, entry, id, type Json, type Send, startForBundles, statuses } from "./bundle-world.ts";
import { person, program, type Service, stores } from "./fixture.ts";

describe.each(stores)("entries that fail, on %s", (_name, open) => {
  let service: Service;
  let send: Send;

  beforeEach(async () => {
    ({ service, send } = await startForBundles(open));
  });

  /** An entry that fails, with its status and the type of its problem. */
  const failing: readonly (readonly [string, Json, number, string])[] = [
    ["a bad record", entry("POST Individual", person("9", { birthDate: "soon" })), 422, "validation"],
    ["an unknown record", entry(`PATCH ${id("9")}`, {}, { ifMatch: "*" }), 404, "not-found"],
    ["an old version", entry(`PUT ${id("1")}`, person("1"), { ifMatch: '"7"' }), 409, "conflict"],
    ["an old version of a change", entry(`PATCH ${id("1")}`, {}, { ifMatch: '"7"' }), 409, "conflict"],
    ["no version", entry(`PUT ${id("1")}`, person("1")), 428, "precondition-required"],
    ["a taken identifier", entry("POST Individual", person("1")), 409, "duplicate"],
    ["a new program", entry("POST Program", program), 405, "method-not-allowed"],
    [
      "a DELETE of a consent",
      entry("DELETE Consent/0190a6b0-0000-7000-8000-00000000000a"),
      405,
      "method-not-allowed",
    ],
    ["a DELETE of anything else", entry(`DELETE ${id("1")}`), 405, "method-not-allowed"],
    ["an unknown path", entry("GET Household/a|b"), 404, "not-found"],
    ["an address without |", entry("GET Individual/5"), 400, "bad-request"],
    ["a bad parameter", entry("GET Individual?nonsense=1"), 400, "bad-request"],
  ];

  it.each(failing)(
    "%s is the whole answer of a transaction, and nothing is written",
    async (_case, bad, status, type) => {
      const answer = await send(bundle("transaction", entry("POST Individual", person("3")), bad));
      expect([answer.status, answer.body.type, answer.body.entry]).toEqual([
        status,
        `urn:service:error:${type}`,
        1,
      ]);
      expect(answer.headers.get("Content-Type")).toContain("application/problem+json");
      expect((await service.call({ path: `/${id("3")}` })).status).toBe(404);
    },
  );

  it.each(failing)(
    "%s is one entry's answer in a batch, and the others are performed",
    async (_case, bad, status, type) => {
      const entries = [entry("POST Individual", person("3")), bad, entry("POST Individual", person("4"))];
      const answer = await send(bundle("batch", ...entries));
      expect([answer.status, statuses(answer)]).toEqual([200, [201, status, 201]]);
      expect(answer.body.entry[1].resource).toMatchObject({ type: `urn:service:error:${type}`, status });
      expect(answer.body.entry[1].resource).not.toHaveProperty("entry");
    },
  );
});
