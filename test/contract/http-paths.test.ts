import { beforeAll, describe, expect, it } from "vitest";
import { household, origin, type Service, startWithRecords } from "./fixture.ts";

const ana = "/Individual/urn:gov:ph:nid|1";
const history = "/api/v2/Individual/{address}/$history";

describe("methods", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWithRecords();
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ["POST", `${ana}/$history`, "GET, HEAD, OPTIONS"],
    ["GET", "/Group/$merge", "POST, OPTIONS"],
    ["GET", "/Group/urn:service:group|1/$add-member", "POST, OPTIONS"],
    ["PUT", "/Group/urn:service:group|1/%24split", "POST, OPTIONS"],
    ["DELETE", "/Group/urn:service:group|1/$remove-member", "POST, OPTIONS"],
    ["POST", "/Consent/4711", "GET, DELETE, HEAD, OPTIONS"],
    ["GET", "/Consent/4711/$revoke", "POST, OPTIONS"],
    ["GET", "/$batch", "POST, OPTIONS"],
    ["DELETE", "/registry/registrant", "GET, POST, HEAD, OPTIONS"],
    ["PATCH", "/registry/registrant/4711", "GET, PUT, HEAD, OPTIONS"],
    ["POST", "/programs", "GET, HEAD, OPTIONS"],
    ["GET", "/programs/4711/enroll", "POST, OPTIONS"],
    ["DELETE", "/programs/4711/cycles", "GET, HEAD, OPTIONS"],
    ["PUT", "/entitlements/4711", "GET, HEAD, OPTIONS"],
    ["GET", "/entitlements/4711/approve", "POST, OPTIONS"],
    ["DELETE", "/change_request", "GET, POST, HEAD, OPTIONS"],
    ["POST", "/change_request/4711", "GET, PUT, HEAD, OPTIONS"],
    ["GET", "/change_request/4711/$approve", "POST, OPTIONS"],
    ["GET", `${origin}/oauth2/token`, "POST, OPTIONS"],
    ["POST", `${origin}/openapi.json`, "GET, HEAD, OPTIONS"],
  ];
  it.each(refused)("%s %s is answered with what is possible", async (method, path, allow) => {
    const { status, headers } = await service.call({ method, path });
    expect([status, headers.get("Allow")]).toEqual([405, allow]);
    const options = await service.call({ method: "OPTIONS", path, as: null });
    expect([options.status, options.headers.get("Allow")]).toEqual([204, allow]);
  });

  it.each<[string, string, number, string]>([
    ["POST", "/Group/urn:service:group|1/$merge", 405, "The path of $merge is POST /api/v2/Group/$merge."],
    ["POST", "/Group/$split", 405, "The path of $split is POST /api/v2/Group/{address}/$split."],
    ["POST", "/Individual/urn:gov:ph:nid|1", 405, "Possible are GET, PUT, PATCH, HEAD, OPTIONS."],
    ["POST", "/Individual/urn:gov:ph:nid|1/$merge", 405, `$merge of Individual. There are GET ${history}.`],
    [
      "GET",
      "/Individual/urn:gov:ph:nid|0/$versions",
      404,
      `$versions of Individual. There are GET ${history}.`,
    ],
    ["GET", "/Individual/$versions", 400, `$versions of Individual. There are GET ${history}.`],
    ["PUT", "/Group/urn:a|0/$join", 404, "POST /api/v2/Group/{address}/$add-member, POST /api/v2/Group/{"],
    ["POST", "/change_request/4711/$accept", 404, "POST /api/v2/change_request/{ext_id}/$approve, POST"],
    ["POST", "/Consent/4711/$withdraw", 404, "There are POST /api/v2/Consent/{id}/$revoke."],
    ["POST", "/$bundle", 404, "There are GET /api/v2/$changes, POST /api/v2/$batch."],
    [
      "POST",
      "/Shoe/1/$polish",
      404,
      "There is no operation $polish of Shoe. GET /metadata lists what there is.",
    ],
  ])("%s %s is answered with the operations that there are", async (method, path, expected, told) => {
    const sent = method === "GET" ? {} : { body: { type: "Group" } };
    const { status, body } = await service.call({ method, path, ...sent });
    expect([status, body.detail]).toEqual([expected, expect.stringContaining(told)]);
  });

  it.each(["/Consent", "/Consent/a/b", "/Individuals", "//Individual", "/registry", "/Group/x/$merge/y/"])(
    "%s is no operation's path",
    async (path) => {
      expect([404, 400]).toContain((await service.call({ path })).status);
    },
  );

  it("HEAD of a search and of a history answer like GET, without a body", async () => {
    for (const path of ["/Individual", `${ana}/$history`, "/$changes"]) {
      const { status, headers, body } = await service.call({ method: "HEAD", path });
      expect([status, headers.get("Content-Type"), body]).toEqual([200, "application/json", undefined]);
    }
  });

  it("$batch needs a caller and no scope of its own", async () => {
    const call = {
      method: "POST",
      path: "/$batch",
      body: { resourceType: "Bundle", type: "batch", entry: [] },
    };
    expect((await service.call({ ...call, as: null })).status).toBe(401);
    expect((await service.call({ ...call, as: "reader" })).status).not.toBe(403);
  });
});

describe("an address in the middle of a path", () => {
  const system = "http://id.gov.ph//group#a";
  const value = "12/3|4";
  const spellings = [
    "http://id.gov.ph//group%23a|12/3|4",
    encodeURIComponent(`${system}|${value}`),
    "http:%2F%2Fid.gov.ph%2F%2Fgroup%23a%7c12%2f3|4",
  ];
  it.each(spellings)("%s reaches the group's history and members", async (address) => {
    const service = await startWithRecords();
    const body = household("x", [], { identifier: [{ system, value }] });
    expect((await service.call({ method: "POST", path: "/Group", body })).status).toBe(201);
    const history = await service.call({ path: `/Group/${address}/$history` });
    expect([history.status, history.body.data.length]).toEqual([200, 1]);
    for (const operation of ["$add-member", "%24add-member"]) {
      const member = operation === "$add-member" ? "2" : "3";
      const added = await service.call({
        method: "POST",
        path: `/Group/${address}/${operation}`,
        body: { entity: { reference: `Individual/urn:gov:ph:nid|${member}` } },
      });
      expect(added.status).toBe(201);
    }
    expect((await service.call({ path: `/Group/${address}` })).body.quantity).toBe(2);
  });
});

describe("bad percent-encoding", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWithRecords();
  });

  it.each([
    ["GET", "/Individual/urn:x|%zz", "address"],
    ["GET", "/Individual/urn:x|%E0%A4/$history", "address"],
    ["POST", "/Group/%|1/$split", "address"],
    ["GET", "/Consent/%zz", "id"],
    ["GET", "/registry/registrant/%c3%28", "ext_id"],
    ["GET", "/Individual?name=%zz", "name"],
    ["GET", "/Individual?limit=1&name=100%", "name"],
    ["GET", "/$changes?feed=%ff", "feed"],
    ["GET", "/metadata?x=%zz", "x"],
  ])("in %s %s is 400 and named", async (method, path, field) => {
    const { status, body } = await service.call({ method, path, ...(method === "POST" ? { body: {} } : {}) });
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe("parameters", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWithRecords();
  });

  it.each([
    `${ana}?_elements=name&_elements=telecom`,
    `${ana}?_extensions=*&_extensions=farmer`,
    "/$changes?feed=all&feed=all",
    "/$changes?limit=1&limit=1",
    "/$changes?cursor=a&cursor=b",
    "/Individual?cursor=a&cursor=b",
    "/Individual?limit=1&limit=2",
    "/Individual?_total=accurate&_total=accurate",
    "/Individual?_sort=name&_sort=birthdate",
    "/registry/registrant?limit=1&limit=2",
    "/registry/registrant?cursor=a&cursor=b",
  ])("%s is given twice", async (path) => {
    const { status, body } = await service.call({ path });
    const name = /[?&](\w+)=[^&]*&\1=/.exec(path)?.[1];
    expect([status, body.errors?.[0]?.field]).toEqual([400, name]);
  });

  it.each([
    ["GET", ana],
    ["GET", `${ana}/$history`],
    ["GET", "/Individual"],
    ["GET", "/$changes"],
    ["GET", "/Consent/4711"],
    ["DELETE", "/Consent/4711"],
    ["POST", "/Consent/4711/$revoke"],
    ["POST", "/Individual"],
    ["PUT", ana],
    ["PATCH", ana],
    ["POST", "/$batch"],
    ["POST", "/Group/$merge"],
    ["POST", "/Group/urn:service:group|1/$add-member"],
    ["GET", "/registry/registrant"],
    ["GET", "/programs"],
  ])("that %s %s does not have are refused by name", async (method, path) => {
    const bodied = method === "POST" || method === "PUT" || method === "PATCH";
    const { status, body } = await service.call({
      method,
      path: `${path}?shoe=1`,
      headers: { "If-Match": '"1"' },
      ...(bodied ? { body: {} } : {}),
    });
    expect([status, body.errors?.[0]?.field]).toEqual([400, "shoe"]);
  });
});
