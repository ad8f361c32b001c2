import { disability, farmer } from "@fieldroll/core";
import { routeTable } from "@fieldroll/server";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { api, origin, type Service, type ServiceOptions, startService } from "./fixture.ts";

type Members = Record<string, unknown>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly schema: Members;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Members & { readonly properties?: Members }>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

async function documentOf(service: Service): Promise<Document> {
  const { status, body } = await service.call({ path: `${origin}/openapi.json`, as: null });
  expect(status).toBe(200);
  return body;
}

async function documentWith(options: ServiceOptions): Promise<Document> {
  return documentOf(await startService(options));
}

const methods = ["get", "post", "put", "patch", "delete"];

function operationsOf({ paths }: Document): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([template, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [[`${method.toUpperCase()} ${template}`, operation] as const] : [];
    }),
  );
}

function mediaOf(operation: Operation): readonly (readonly [string, Media])[] {
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const answers = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, media]) => [`${status} ${type}`, media] as const),
  );
  return [...bodies, ...answers];
}

interface Shown {
  readonly place: string;
  readonly schema: Members;
  readonly value: unknown;
}

/** Everything but pages for people has an example. */
function examplesOf(name: string, operation: Operation): readonly Shown[] {
  const others = mediaOf(operation).filter(([place]) => !place.endsWith("text/html"));
  return others.flatMap(([at, { schema, examples = {} }]) => {
    const place = `${name} ${at}`;
    expect(Object.keys(examples), place).not.toEqual([]);
    return Object.values(examples).map(({ value, $ref }) => {
      const shared = document.components.examples[$ref?.split("/").at(-1) ?? ""];
      return { place, schema, value: shared ? shared.value : value };
    });
  });
}

function checker(): (schema: Members, value: unknown) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document }, "api");
  const checks = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const check = checks.get(text) ?? ajv.compile(JSON.parse(text));
    checks.set(text, check);
    return check(value) ? [] : [ajv.errorsText(check.errors)];
  };
}

let document: Document;

beforeAll(async () => {
  document = await documentWith({});
});

describe("the document", { timeout: 60_000 }, () => {
  it("has nothing that Redocly's recommended rules find fault with", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const faults = await lintFromString({ source: JSON.stringify(document), config });
    expect(faults.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it("has every route of the table exactly once, and nothing else", () => {
    const routes = routeTable({ programs: true }).map(({ method, template }) => `${method} ${template}`);
    const described = operationsOf(document).map(([name]) => name);
    expect([...described].sort()).toEqual([...new Set(routes)].sort());
    const ids = operationsOf(document).map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("asks at each operation for the scope of its route, and at public ones for none", () => {
    const asked = operationsOf(document).map(([name, { security }]) => [name, security]);
    const wanted = routeTable({ programs: true }).map(({ method, template, scope, authenticated }) => [
      `${method} ${template}`,
      scope ? [{ oauth2: [scope] }] : authenticated ? [{ oauth2: [] }] : [],
    ]);
    expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(wanted));
  });

  it("leaves programs out where a deployment has none", async () => {
    const without = await documentWith({ registry: { capabilities: { programs: false } } });
    expect(Object.keys(without.paths)).not.toContain("/ProgramMembership");
    expect(Object.keys(without.components.schemas)).not.toContain("EnrollmentSummary");
    const config = await createConfig({ extends: ["recommended"] });
    expect(await lintFromString({ source: JSON.stringify(without), config })).toEqual([]);
  });

  it("shows each extension of the deployment by its schema, where it applies", async () => {
    const extension = { ...farmer, name: "plot", appliesTo: ["Group"] as const };
    const own = await documentWith({ registry: { extensions: [farmer, disability, extension] } });
    const { GroupBody, IndividualBody } = own.components.schemas;
    expect(GroupBody?.properties?.extension).toMatchObject({
      properties: {
        plot: {
          properties: { url: { const: "urn:service:extension:plot" }, farmSize: { minimum: 0 } },
        },
      },
    });
    expect(JSON.stringify(IndividualBody?.properties?.extension)).not.toContain("plot");
    expect(IndividualBody?.properties?.extension).toMatchObject({
      properties: { farmer: {}, disability: {} },
    });
  });

  it("speaks the deployment's namespace", async () => {
    const own = await documentWith({ registry: { namespace: "bayan" } });
    expect(own.components.schemas.ConflictProblem?.properties?.type).toMatchObject({
      const: "urn:bayan:error:conflict",
    });
    expect(JSON.stringify(own)).not.toContain("urn:service:");
  });

  it("is given with a tag, by which a copy is kept", async () => {
    const service = await startService();
    const first = await service.call({ path: "/openapi.json", as: null });
    const tag = first.headers.get("ETag") ?? "";
    const again = await service.call({ path: "/openapi.json", as: null, headers: { "If-None-Match": tag } });
    expect([again.status, again.body]).toEqual([304, undefined]);
    const other = await service.call({
      path: "/openapi.json",
      as: null,
      headers: { "If-None-Match": '"1"' },
    });
    expect(other.status).toBe(200);
  });

  it("names the address at which it was asked for", () => {
    expect(document.servers).toMatchObject([{ url: api }]);
  });
});

describe("every operation", { timeout: 60_000 }, () => {
  it("has a summary, a description, a tag and a success", () => {
    for (const [name, { summary, description, tags, responses }] of operationsOf(document)) {
      expect([name, summary.length > 5, description.length > 20, tags.length]).toEqual([name, true, true, 1]);
      expect(
        Object.keys(responses).some((status) => status.startsWith("2")),
        name,
      ).toBe(true);
    }
  });

  it("has examples of each body, answer and problem, and they are as their schemas say", () => {
    const check = checker();
    const shown = operationsOf(document).flatMap(([name, operation]) => examplesOf(name, operation));
    expect(shown.length).toBeGreaterThan(300);
    expect(
      shown.flatMap(({ place, schema, value }) => check(schema, value).map((fault) => [place, fault])),
    ).toEqual([]);
  });

  it("documents the parameters that its search understands", async () => {
    const { body } = await (await startService()).call({ path: "/metadata", as: null });
    for (const { type, searchParameters } of body.resources) {
      const { parameters = [] } = document.paths[`/${type}`]?.get ?? {};
      const names = parameters.map(({ name, $ref }) => name ?? nameOfShared($ref ?? ""));
      expect(names).toEqual(expect.arrayContaining(searchParameters));
    }
  });

  it("has a description for each member of a record", () => {
    for (const type of ["Individual", "Group", "Program", "ProgramMembership"]) {
      const { properties = {} } = document.components.schemas[type] ?? {};
      for (const [name, member] of Object.entries(properties)) {
        expect(member, `${type}.${name}`).toHaveProperty("description");
      }
    }
  });
});

function nameOfShared(reference: string): string {
  const names: Record<string, string> = {
    elements: "_elements",
    extensions: "_extensions",
    count: "_count",
    total: "_total",
  };
  const key = reference.split("/").at(-1) ?? "";
  return names[key] ?? key;
}

describe("problems", () => {
  it("have a schema each, with the type, title and status of the contract", () => {
    const kinds = [
      ["conflict", 409],
      ["duplicate", 409],
      ["invalid-state", 409],
      ["precondition-required", 428],
      ["validation", 422],
      ["idempotency-mismatch", 422],
      ["bad-request", 400],
      ["authentication", 401],
      ["authorization", 403],
      ["not-found", 404],
      ["method-not-allowed", 405],
      ["unsupported-media-type", 415],
      ["payload-too-large", 413],
      ["too-many-requests", 429],
      ["gone", 410],
      ["internal", 500],
      ["unavailable", 503],
    ] as const;
    for (const [kind, status] of kinds) {
      const name = `${kind.replaceAll(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase())}Problem`;
      expect(document.components.schemas[name]?.properties).toMatchObject({
        type: { const: `urn:service:error:${kind}` },
        status: { const: status },
      });
    }
  });

  it("of a PATCH are those of its parameters, its body and its route", () => {
    const { responses = {} } = document.paths["/Individual/{address}"]?.patch ?? {};
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([
        "200",
        "400",
        "401",
        "403",
        "404",
        "409",
        "413",
        "415",
        "422",
        "428",
        "500",
        "503",
      ]),
    );
  });
});
