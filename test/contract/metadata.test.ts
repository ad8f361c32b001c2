import { readFileSync } from "node:fs";
import { disability, farmer } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { api, origin, startService } from "./fixture.ts";

describe("the capability statement", () => {
  it("is public, below the API's root and at the server's", async () => {
    const service = await startService({
      handler: { appVersion: "1.2.3" },
      registry: { extensions: [farmer, disability] },
    });
    const below = await service.call({ path: "/metadata", as: null });
    const root = await service.call({ path: `${origin}/metadata`, as: null });
    expect(below.status).toBe(200);
    expect(root.body).toEqual(below.body);
    expect(below.body).toMatchObject({
      version: "1.2.3",
      baseUrl: api,
      authentication: { tokenUrl: `${origin}/oauth2/token` },
      features: { idempotencyKey: { keptForDays: 180 }, changes: { path: "/$changes" } },
    });
    expect(below.body.extension).toEqual([
      {
        name: "farmer",
        url: "urn:service:extension:farmer",
        module: "farmer",
        appliesTo: ["Individual"],
        fields: ["farmSize", "farmSizeUnit", "primaryCrop", "livestockCount"],
      },
      {
        name: "disability",
        url: "urn:service:extension:disability",
        module: "disability",
        appliesTo: ["Individual"],
        fields: ["disabilityType", "severity", "assistanceNeeded"],
      },
    ]);
  });

  it("names the version of the package where the program says none of its own", async () => {
    const description = readFileSync(new URL("../../packages/server/package.json", import.meta.url), "utf8");
    const service = await startService();
    const { body } = await service.call({ path: "/metadata", as: null });
    expect(body.version).toBe(JSON.parse(description).version);
  });

  it("lists the scopes that can be granted, as the OpenAPI document and the authorization server do", async () => {
    const service = await startService();
    const { scopes } = (await service.call({ path: "/metadata", as: null })).body.authentication;
    const { body: server } = await service.call({
      path: `${origin}/.well-known/oauth-authorization-server`,
      as: null,
    });
    const { body: document } = await service.call({ path: "/openapi.json", as: null });
    const { flows } = document.components.securitySchemes.oauth2;
    expect(scopes).toContain("payment:write");
    expect([...scopes].sort()).toEqual([...server.scopes_supported].sort());
    expect([...scopes].sort()).toEqual(Object.keys(flows.clientCredentials.scopes).sort());
  });

  it("lists search parameters that search takes", async () => {
    const service = await startService();
    const { body } = await service.call({ path: "/metadata" });
    const searchable = body.resources.filter(({ type }: { type: string }) => type !== "Consent");
    expect(searchable).toHaveLength(4);
    for (const { type, searchParameters } of searchable) {
      expect(searchParameters).toEqual(
        expect.arrayContaining(["_elements", "_extensions", "_total", "limit"]),
      );
      for (const name of searchParameters) {
        const answer = await service.call({ path: `/${type}?${name}=%7F` });
        const codes = (answer.body.errors ?? []).map(({ code }: { code: string }) => code);
        expect(codes, `${type} ${name}`).not.toContain("unknown_parameter");
      }
      expect((await service.call({ path: `/${type}?nothing=1` })).body.errors[0].code).toBe(
        "unknown_parameter",
      );
    }
  });

  it("lists the operations that there are", async () => {
    const service = await startService();
    const { body } = await service.call({ path: "/metadata" });
    const all = [...body.resources, ...body.registryStyle].flatMap(
      ({ operations }: { operations: { method: string; path: string }[] }) => operations,
    );
    expect(all.length).toBeGreaterThan(35);
    for (const { method, path } of all) {
      const at = path.replace("{address}", "urn:x|1").replace(/\{\w*id\}/, crypto.randomUUID());
      const { status } = await service.call({ method, path: at, as: "finance" });
      expect([200, 404, 415], `${method} ${path}`).toContain(status);
    }
  });
});

describe("without the programs capability", () => {
  it("Program and ProgramMembership are not there", async () => {
    const service = await startService({ registry: { capabilities: { programs: false } } });
    const { body } = await service.call({ path: "/metadata" });
    expect(body.resources.map(({ type }: { type: string }) => type)).toEqual([
      "Individual",
      "Group",
      "Consent",
    ]);
    for (const path of ["/Program", "/Program/urn:x|1", "/ProgramMembership", "/programs", "/entitlements"]) {
      expect((await service.call({ path })).status).toBe(404);
    }
    expect((await service.call({ method: "POST", path: "/ProgramMembership", body: {} })).status).toBe(404);
  });
});

describe("another namespace and a public address", () => {
  it("show in problems, links and Location", async () => {
    const handler = { publicUrl: "https://registry.example.org/" };
    const service = await startService({ handler, registry: { namespace: "acme" } });
    const { body } = await service.call({ path: "/Individual/urn:x|1" });
    expect(body.type).toBe("urn:acme:error:not-found");
    const list = await service.call({ path: "/Individual?limit=5" });
    expect(list.body.links.self).toBe("https://registry.example.org/api/v2/Individual?limit=5");
  });
});

describe("other origins", () => {
  const preflight = {
    method: "OPTIONS",
    path: "/Individual",
    as: null,
    headers: { Origin: "https://app.example.org", "Access-Control-Request-Method": "POST" },
  };

  it("are not let in by default", async () => {
    const { headers } = await (await startService()).call(preflight);
    expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("are let in by name, and may read the headers that matter", async () => {
    const service = await startService({ handler: { cors: { origins: ["https://app.example.org"] } } });
    const { status, headers } = await service.call(preflight);
    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, "https://app.example.org"]);
    const stranger = { ...preflight, headers: { ...preflight.headers, Origin: "https://evil.example" } };
    expect((await service.call(stranger)).headers.get("Access-Control-Allow-Origin")).toBeNull();
    const read = await service.call({ path: "/Individual", headers: { Origin: "https://app.example.org" } });
    expect(read.headers.get("Access-Control-Expose-Headers")).toContain("ETag");
  });
});

describe("reports of answers", () => {
  it("name the route's template and never the address", async () => {
    const entries: Record<string, unknown>[] = [];
    const service = await startService({ handler: { onAnswer: (entry) => entries.push({ ...entry }) } });
    await service.call({ path: "/Individual/urn:secret|4711?shoe=1", headers: { "X-Request-Id": "r1" } });
    await service.call({ method: "DELETE", path: "/Individual/urn:secret|4711" });
    await service.call({ path: "/somewhere/4711" });
    expect(entries.slice(-3)).toMatchObject([
      {
        method: "GET",
        route: "GET /api/v2/Individual/{address}",
        status: 400,
        requestId: "r1",
        milliseconds: 0,
      },
      { method: "DELETE", route: "other /api/v2/Individual/{address}", status: 405 },
      { method: "GET", route: "unmatched", status: 404 },
    ]);
    // Ids that are made for requests are random and may hold any digits.
    const told = entries.map((entry) => ({ ...entry, requestId: "" }));
    expect(JSON.stringify(told)).not.toMatch(/4711|secret/);
  });
});
