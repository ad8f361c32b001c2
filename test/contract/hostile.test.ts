import fc from "fast-check";
import { expect, it } from "vitest";
import { addProgram, household, person, startService } from "./fixture.ts";

const methods = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
const types = fc.constantFrom(
  "Individual",
  "Group",
  "Program",
  "ProgramMembership",
  "$changes",
  "$batch",
  "Consent",
  "registry/registrant",
  "programs",
  "entitlements",
  "change_request",
  "metadata",
  "Shoe",
);
const text = fc.string({ unit: "grapheme", maxLength: 12 }).map(encodeURIComponent);
const address = fc.oneof(
  fc.constantFrom(
    "",
    "/urn:gov:ph:nid|1",
    "/urn:service:group|1",
    "/urn:service:program|cash",
    "/%zz|1",
    "//|//",
  ),
  fc.constantFrom(
    "/urn:gov:ph:nid|1/$history",
    "/urn:service:group|1/$add-member",
    "/urn:service:group|1/%24remove-member",
    "/urn:service:group|1/$split",
    "/$merge",
    "/00000000-0000-7000-8000-000000000000",
    "/00000000-0000-7000-8000-000000000000/$revoke",
    "/00000000-0000-7000-8000-000000000000/enroll",
    "/00000000-0000-7000-8000-000000000000/approve",
    "/%/$approve",
  ),
  text.map((value) => `/${value}`),
  fc.tuple(text, text).map(([system, value]) => `/${system}|${value}`),
);
const names = [
  "name",
  "identifier",
  "active",
  "limit",
  "cursor",
  "_sort",
  "birthdate",
  "member",
  "status",
  "feed",
  "_elements",
  "_extensions",
  "_total",
  "group",
  "x",
];
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(text, fc.constantFrom("1", "true", "ge2020-01-01", "0", "-1")),
    ),
    {
      maxLength: 3,
    },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"));
const header = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const headers = fc.record({
  "Content-Type": header("application/json", "application/merge-patch+json", "text/plain", ";;"),
  "If-Match": header('"1"', "*", '"', "W/x", '"1","2"'),
  "If-None-Match": header('"1"', "*", "x"),
  "Idempotency-Key": header("k1", "k2", ""),
  "X-Purpose": header("research", "fun"),
  "Content-Encoding": header("gzip"),
});
const record = fc.constantFrom<unknown>(
  person("1"),
  person("2"),
  household("1", ["Individual/urn:gov:ph:nid|1"]),
  { entity: { reference: "Individual/urn:gov:ph:nid|1" } },
  { source: { reference: "Group/urn:service:group|1" }, target: { reference: "Group/urn:x|2" } },
  { resourceType: "Bundle", type: "batch", entry: [{ request: { method: "GET", url: "Individual" } }] },
  { type: "add_farmer", data: { name: "A", farmer: {} } },
  { registrant_ext_id: "00000000-0000-7000-8000-000000000000" },
  { reason: "moved" },
  {},
);
const body = fc.oneof(
  fc.string(),
  fc.json(),
  record.map((value) => JSON.stringify(value)),
  fc
    .tuple(record, fc.string(), fc.jsonValue())
    .map(([base, name, value]) => JSON.stringify({ ...(base as object), [name]: value })),
  fc
    .tuple(
      record,
      fc.constantFrom("name", "identifier", "member", "birthDate", "extension", "type"),
      fc.jsonValue(),
    )
    .map(([base, name, value]) => JSON.stringify({ ...(base as object), [name]: value })),
);

interface Sent {
  readonly method: string;
  readonly type: string;
  readonly address: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const none = {
  "Content-Type": undefined,
  "If-Match": undefined,
  "If-None-Match": undefined,
  "Idempotency-Key": undefined,
  "X-Purpose": undefined,
  "Content-Encoding": undefined,
};

/** Operations that need no body, sent one of no stated type. */
const met = [
  ["entitlements", "approve"],
  ...["$submit", "$revise", "$approve", "$reject", "$apply"].map((name) => ["change_request", name] as const),
].map(([type = "", name]): [Sent] => [
  {
    method: "POST",
    type,
    address: `/00000000-0000-7000-8000-000000000000/${name}`,
    query: "",
    headers: none,
    body: "{}",
  },
]);

it("no sequence of requests makes the server fail, and every refusal is a problem", async () => {
  const service = await startService();
  await addProgram(service.registry);
  const requests: fc.Arbitrary<Sent> = fc.record({
    method: methods,
    type: types,
    address,
    query,
    headers,
    body,
  });
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, type, ...request }) => {
      const sent = Object.entries(request.headers).filter(
        (pair): pair is [string, string] => pair[1] !== undefined,
      );
      const hasBody = method !== "GET" && method !== "HEAD";
      const answer = await service.call({
        method,
        path: `/${type}${request.address}?${request.query}`,
        headers: Object.fromEntries(sent),
        as: "finance",
        ...(hasBody ? { raw: new TextEncoder().encode(request.body) } : {}),
      });
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers.get("X-API-Version")).toBe("2.0");
      if (answer.status < 400 || method === "HEAD") return;
      expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
      expect(answer.body).toMatchObject({
        type: expect.stringMatching(
          /^(urn:service:error:[a-z-]+|http:\/\/registry.test\/errors\/not-found)$/,
        ),
        title: expect.any(String),
        status: answer.status,
        detail: expect.any(String),
        instance: expect.stringMatching(/^\/api\/v2\//),
      });
    }),
    { numRuns: 1500, examples: met },
  );
});
