import { maxErrors } from "@fieldroll/core";
import { apiRoot, type Route, routeTable } from "@fieldroll/server";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { origin, type Service, startWithRecords } from "../contract/fixture.ts";
import { bundleOf, many, wide } from "./huge.ts";

/** What an answer that refuses may have: contract section 8. */
const largestRefusal = 64 * 1024;
const withBody = routeTable({ programs: true }).filter(({ method }) => /POST|PUT|PATCH/.test(method));

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

  beforeAll(async () => {
    service = await startWithRecords();
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

  it.each(withBody.map((route) => [`${route.method} ${route.template}`, route] as const))(
    "is refused in few bytes at %s",
    { timeout: 120_000 },
    async (_name, route) => {
      const property = fc.asyncProperty(bodies, async (raw) => {
        const { status, size, text } = await send(service, route, { path: pathOf(route), raw });
        expect(status).toBeLessThan(500);
        if (status < 400 && route.operation !== "batch") return;
        expect(size).toBeLessThanOrEqual(largestRefusal);
        const { errors = [] } = JSON.parse(text) as { errors?: unknown[] };
        expect(errors.length).toBeLessThanOrEqual(maxErrors + 1);
      });
      await fc.assert(property, { numRuns: 12 });
    },
  );
});

async function send(service: Service, { method }: Route, { path, raw }: { path: string; raw: string }) {
  const headers = {
    Authorization: `Bearer ${await service.tokenOf("finance")}`,
    "Content-Type": "application/json",
    ...(method === "POST" ? {} : { "If-Match": "*" }),
  };
  const answer = await service.handle(new Request(`${origin}${path}`, { method, headers, body: raw }));
  const bytes = await answer.arrayBuffer();
  return { status: answer.status, size: bytes.byteLength, text: new TextDecoder().decode(bytes) };
}
