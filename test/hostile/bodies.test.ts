import { maxErrors } from "@fieldroll/core";
import { apiRoot, createV1, type Route, routeTable } from "@fieldroll/server";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  household,
  openUsual,
  origin,
  registrations,
  type Service,
  startService,
} from "../contract/fixture.ts";
import { basic, withBenefits } from "../contract/v1-world.ts";
import { bundleOf, many, wide } from "./huge.ts";

/** What an answer that refuses may have: contract section 8. */
const largestRefusal = 64 * 1024;
const versionOne = "/api/v1/g2p";
/** The writes of version 1. The number of a record is the first of its list. */
const versionOneWrites = [
  { method: "POST", template: "/registry/registrant" },
  { method: "PUT", template: "/registry/registrant/{id}" },
  { method: "POST", template: "/programs/{id}/enroll" },
  { method: "POST", template: "/entitlements/{id}/approve" },
] as const;
const withBody = routeTable({ programs: true }).filter(({ method }) => /POST|PUT|PATCH/.test(method));

const finance = registrations.find(({ id }) => id === "finance");
const former = basic("finance", finance?.secret);
const current = async (service: Service) => ({ Authorization: `Bearer ${await service.tokenOf("finance")}` });

const counts = fc.constantFrom(21, 51, 101, 501, 1000, 1001, 30_000);
const items = fc.constantFrom(
  "{}",
  "[]",
  "1",
  '""',
  "null",
  '{"a":1}',
  '{"system":"a","value":"b"}',
  '"\\u0000"',
);
const letters = fc.constantFrom("a", "é", "😀", "ना", "\\u0000", '\\"', "\\\\", "\\ud83d", "|", "%41", "/");

/** Much of one kind, as a text of JSON, or of what only begins as such. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(counts, items).map(([count, item]) => wide(count, item)),
  fc.tuple(counts, items, letters).map(([count, item, name]) => many(count, item, name)),
  fc
    .tuple(fc.constantFrom(20, 50, 900), counts, items)
    .map(([outer, inner, item]) => wide(outer, wide(Math.min(inner, Math.floor(40_000 / outer)), item))),
  fc.tuple(fc.nat(40), items).map(([depth, item]) => `${"[".repeat(depth)}${item}${"]".repeat(depth)}`),
  fc.constantFrom("[", '{"a":', "}", ",").map((text) => text.repeat(200_000)),
  fc
    .tuple(letters, fc.constantFrom(256, 5000, 200_000))
    .map(([letter, count]) => `"${letter.repeat(count)}"`),
  fc.nat(400).map((digits) => `1${"0".repeat(digits)}`),
  fc.constant("1".repeat(200_000)),
  fc.constant(`{${'"a":1,'.repeat(50_000)}"a":1}`),
);

const names = fc.constantFrom(
  ...[
    "identifier",
    "name",
    "telecom",
    "address",
    "member",
    "extension",
    "photo",
    "birthDate",
    "gender",
    "active",
  ],
  ...[
    "type",
    "entity",
    "role",
    "source",
    "members",
    "head",
    "program",
    "beneficiary",
    "status",
    "reason",
    "entry",
  ],
  ...[
    "data",
    "draft",
    "registrant_ext_id",
    "birthdate",
    "grant_type",
    "client_id",
    "scope",
    "resourceType",
    "x",
  ],
);

/** A body whose members are hostile, or that is so itself; now and then in a bundle. */
const bodies: fc.Arbitrary<string> = fc
  .oneof(
    hostile,
    fc
      .tuple(
        fc.array(fc.tuple(names, hostile), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("Individual", "Group"),
      )
      .map(
        ([members, type]) =>
          `{"type":"${type}",${members.map(([name, value]) => `"${name}":${value}`).join()}}`,
      ),
    fc.tuple(names, hostile).map(([name, value]) => `{"type":"add_farmer","data":{"${name}":${value}}}`),
  )
  .chain((body) => fc.constantFrom(body, bundleOf(body.length < 5000 ? Array(100).fill(body) : [body])))
  .filter((body) => body.length < 1_000_000);

describe("a body that is too much of anything", () => {
  let service: Service;
  let ids: Readonly<Record<string, string>>;
  let numberOf: Readonly<Record<string, number | undefined>>;

  beforeAll(async () => {
    const store = await openUsual();
    const handler = { v1: "warn", formerVersion: createV1(store) } as const;
    service = await startService({ open: async () => store, handler });
    await withBenefits({ registry: service.registry, store });
    const members = ["Individual/urn:gov:ph:nid|1"];
    await service.call({ method: "POST", path: "/Group", body: household("1", members) });
    const numbers = ["/registry/registrant", "/programs", "/entitlements"].map(firstOf);
    numberOf = Object.fromEntries(await Promise.all(numbers));
    const first = async (path: string) => (await service.call({ path })).body.data[0].ext_id;
    const request = { type: "add_farmer", data: { name: "Ana", farmer: {} }, draft: true };
    ids = {
      "/registry/registrant": await first("/registry/registrant"),
      "/programs": await first("/programs"),
      "/change_request": (await service.call({ method: "POST", path: "/change_request", body: request })).body
        .data.ext_id,
    };
  });

  const addresses: Readonly<Record<string, string>> = {
    Individual: "urn:gov:ph:nid|1",
    Group: "urn:service:group|1",
  };
  const pathOf = (route: Route) => {
    const extId = Object.entries(ids).find(([path]) => route.template.startsWith(path))?.[1];
    return `${route.at === "root" ? "" : apiRoot}${route.template}`
      .replace("{address}", addresses[route.resource ?? ""] ?? "urn:x|1")
      .replace(/\{(ext_)?id\}/, extId ?? "0190a6b0-0000-7000-8000-000000000000");
  };

  /** The path of a list of version 1, and the number of its first record. */
  const firstOf = async (path: string) => {
    const list = await service.handle(new Request(`${origin}${versionOne}${path}`, { headers: former }));
    const [first] = (await list.json()) as { id: number }[];
    return [path, first?.id] as const;
  };
  const formerPathOf = (template: string) => {
    const [list = ""] = template.split("/{id}");
    return versionOne + template.replace("{id}", String(numberOf[list]));
  };

  const routes = [
    ...withBody.map((route) => ({
      name: route.template,
      route,
      path: () => pathOf(route),
      headers: current,
    })),
    ...versionOneWrites.map((route) => ({
      name: versionOne + route.template,
      route,
      path: () => formerPathOf(route.template),
      headers: async () => former,
    })),
  ];

  it.each(routes.map((one) => [`${one.route.method} ${one.name}`, one] as const))(
    "is refused in few bytes at %s",
    { timeout: 120_000 },
    async (_name, { route, path, headers }) => {
      const isBatch = "operation" in route && route.operation === "batch";
      const property = fc.asyncProperty(bodies, async (raw) => {
        const sent = { method: route.method, path: path(), headers: await headers(service), raw };
        const { status, size, text } = await send(service, sent);
        expect(status).toBeLessThan(500);
        expect(status).not.toBe(401);
        if (path().startsWith(versionOne)) expect(status).not.toBe(404);
        if (status < 400 && !isBatch) return;
        expect(size).toBeLessThanOrEqual(largestRefusal);
        const { errors = [] } = JSON.parse(text) as { errors?: unknown[] };
        expect(errors.length).toBeLessThanOrEqual(maxErrors + 1);
      });
      await fc.assert(property, { numRuns: 12 });
    },
  );
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
}

async function send(service: Service, { method, path, headers, raw }: Sent) {
  const all = {
    ...headers,
    "Content-Type": "application/json",
    ...(method === "POST" ? {} : { "If-Match": "*" }),
  };
  const answer = await service.handle(new Request(`${origin}${path}`, { method, headers: all, body: raw }));
  const bytes = await answer.arrayBuffer();
  return { status: answer.status, size: bytes.byteLength, text: new TextDecoder().decode(bytes) };
}
