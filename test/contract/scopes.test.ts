import { describe, expect, it } from "vitest";
import { household, person, program, stores } from "./fixture.ts";
import { everything, seed, startWorld } from "./world.ts";

/** Every operation that needs a scope, as the contract's sections 6 and 7 have it. */
const routes: readonly (readonly [method: string, path: string, scope: string])[] = [
  ...["Individual", "Group"].flatMap((type) => [
    ["GET", `/${type}`, "registry:read"] as const,
    ["GET", `/${type}/{address}`, "registry:read"] as const,
    ["GET", `/${type}/{address}/$history`, "registry:read"] as const,
    ["POST", `/${type}`, "registry:write"] as const,
    ["PUT", `/${type}/{address}`, "registry:write"] as const,
    ["PATCH", `/${type}/{address}`, "registry:write"] as const,
  ]),
  ["POST", "/Group/{address}/$add-member", "registry:write"],
  ["POST", "/Group/{address}/$remove-member", "registry:write"],
  ["POST", "/Group/{address}/$split", "registry:write"],
  ["POST", "/Group/$merge", "registry:write"],
  ["GET", "/Program", "program:read"],
  ["GET", "/Program/{address}", "program:read"],
  ["GET", "/Program/{address}/$history", "program:read"],
  ["GET", "/ProgramMembership", "program:read"],
  ["GET", "/ProgramMembership/{address}", "program:read"],
  ["GET", "/ProgramMembership/{address}/$history", "program:read"],
  ["POST", "/ProgramMembership", "program:write"],
  ["PUT", "/ProgramMembership/{address}", "program:write"],
  ["GET", "/Consent/{id}", "registry:read"],
  ["POST", "/Consent/{id}/$revoke", "registry:write"],
  ["DELETE", "/Consent/{id}", "registry:write"],
  ["GET", "/$changes", "registry:read"],
  ["GET", "/registry/registrant", "registry:read"],
  ["GET", "/registry/registrant/{id}", "registry:read"],
  ["POST", "/registry/registrant", "registry:write"],
  ["PUT", "/registry/registrant/{id}", "registry:write"],
  ["POST", "/change_request", "registry:write"],
  ["GET", "/change_request", "registry:read"],
  ["GET", "/change_request/{id}", "registry:read"],
  ["PUT", "/change_request/{id}", "registry:write"],
  ["POST", "/change_request/{id}/$submit", "registry:write"],
  ["POST", "/change_request/{id}/$revise", "registry:write"],
  ["POST", "/change_request/{id}/$approve", "registry:write"],
  ["POST", "/change_request/{id}/$reject", "registry:write"],
  ["POST", "/change_request/{id}/$apply", "registry:write"],
  ["GET", "/programs", "program:read"],
  ["GET", "/programs/{id}", "program:read"],
  ["POST", "/programs/{id}/enroll", "program:write"],
  ["GET", "/programs/{id}/cycles", "program:read"],
  ["GET", "/entitlements", "entitlement:read"],
  ["GET", "/entitlements/{id}", "entitlement:read"],
  ["POST", "/entitlements/{id}/approve", "entitlement:write"],
];

const known: Readonly<Record<string, string>> = {
  Individual: "urn:gov:ph:nid|1",
  Group: "urn:service:group|1",
  Program: "urn:service:program|cash",
};

function pathOf(template: string): string {
  const type = template.split("/")[1] ?? "";
  return template
    .replace("{address}", known[type] ?? "urn:x|1")
    .replace("{id}", "0190a6b0-0000-7000-8000-000000000000");
}

/** One client per scope that has all but this one, and one that has only this one. */
const scopes = [...everything, "payment:read", "payment:write"];
const clients = scopes.flatMap((scope) => [
  { id: `all but ${scope}`, scopes: scopes.filter((one) => one !== scope), legalBasis: "public_task" },
  { id: `only ${scope}`, scopes: [scope], legalBasis: "public_task" },
]);

describe.each(stores)("scopes on %s", (_name, open) => {
  const starting = startWorld({ open, clients }).then(async (world) => {
    await seed(world, [person("1"), household("1", []), program]);
    return world;
  });

  it.each(routes)(
    "%s %s needs %s, and says so before existence is looked at",
    async (method, template, scope) => {
      const world = await starting;
      const answers = await Promise.all(
        [pathOf(template), template.replace("{address}", "urn:none|9").replace("{id}", "nothing")].map(
          (path) => world.send(`all but ${scope}`, { method, path }),
        ),
      );
      for (const { status, headers, body } of answers) {
        expect([status, body.type, body.missing_scope]).toEqual([
          403,
          "urn:service:error:authorization",
          scope,
        ]);
        expect(headers.get("WWW-Authenticate")).toMatch(/insufficient_scope/);
      }
      expect(world.storeCalls.list).toEqual([]);
    },
  );

  it.each(routes)("%s %s is opened by %s alone", async (method, template, scope) => {
    const world = await starting;
    const { status, body } = await world.send(`only ${scope}`, { method, path: pathOf(template) });
    expect(body?.missing_scope).toBeUndefined();
    expect([401, 403]).not.toContain(status);
  });

  it.each(routes)("%s %s needs a token", async (method, template) => {
    const world = await starting;
    const { status, headers, body } = await world.send(null, { method, path: pathOf(template) });
    expect([status, body.type]).toEqual([401, "urn:service:error:authentication"]);
    expect(headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
  });

  it("inside a bundle each entry needs its own", async () => {
    const world = await starting;
    const entry = [
      { request: { method: "GET", url: "Individual/urn:gov:ph:nid|1" } },
      { request: { method: "GET", url: "Program/urn:service:program|cash" } },
    ];
    const bundle = { resourceType: "Bundle", type: "batch", entry };
    const { body } = await world.post("only registry:read", "/$batch", bundle);
    expect(body.entry.map(({ response }: { response: { status: number } }) => response.status)).toEqual([
      200, 403,
    ]);
    expect(body.entry[1].resource.missing_scope).toBe("program:read");
    const whole = await world.post("only registry:read", "/$batch", { ...bundle, type: "transaction" });
    expect([whole.status, whole.body.missing_scope, whole.body.entry]).toEqual([403, "program:read", 1]);
  });

  it("payment scopes can be granted and open nothing yet", async () => {
    const world = await starting;
    const { status, body } = await world.get("only payment:read", "/Individual");
    expect([status, body.missing_scope]).toEqual([403, "registry:read"]);
  });
});
