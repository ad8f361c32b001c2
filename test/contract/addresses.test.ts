import { beforeAll, describe, expect, it } from "vitest";
import { api, person, type Service, startService, stores } from "./fixture.ts";

describe.each(stores)("addresses on %s", (_name, open) => {
  let service: Service;
  const system = "http://id.gov.ph//nid#person";
  const value = "12/3|4";

  beforeAll(async () => {
    service = await startService({ open });
    const body = person("x", {
      identifier: [
        { system, value },
        { system: "urn:second", value: "عائشة 7" },
      ],
    });
    expect((await service.call({ method: "POST", path: "/Individual", body })).status).toBe(201);
  });

  const reaching: readonly (readonly [string, string])[] = [
    ["raw slashes and bars", "http://id.gov.ph//nid%23person|12/3|4"],
    ["an encoded bar", "http://id.gov.ph//nid%23person%7C12/3|4"],
    ["encoded slashes", "http:%2F%2Fid.gov.ph%2F%2Fnid%23person|12%2F3|4"],
    ["everything encoded", encodeURIComponent(`${system}|${value}`)],
    ["lower-case escapes", "http%3a%2f%2fid.gov.ph%2f%2fnid%23person%7c12%2f3%7c4"],
    ["any other identifier of the record", `urn:second|${encodeURIComponent("عائشة 7")}`],
  ];
  it.each(reaching)("reach the record with %s", async (_case, address) => {
    const { status, body } = await service.call({ path: `/Individual/${address}` });
    expect(status).toBe(200);
    expect(body.identifier[0]).toEqual({ system, value });
  });

  it.each(["urn:gov:ph:nid", "", "|1", "urn:x|", "urn:x|%zz"])(
    "without both parts (%j) are bad",
    async (address) => {
      const { status, body } = await service.call({ path: `/Individual/${address}` });
      expect(status).toBe(400);
      expect(body.type).toBe("urn:service:error:bad-request");
    },
  );

  it("that name no record are not found", async () => {
    const { status, body } = await service.call({ path: "/Individual/urn:x|1" });
    expect(status).toBe(404);
    expect(body).toMatchObject({
      type: "urn:service:error:not-found",
      instance: "/api/v2/Individual/urn:x|1",
    });
  });

  it("in Location can be fetched as printed, in any script", async () => {
    for (const identifier of [
      { system: "http://a.b//c#d", value: "50% ? / |" },
      { system: "urn:बैंक", value: "१२३" },
      { system: "urn:odd", value: '<a href="x">[^`{}\\]\'(1)*;,@&=+$~!' },
    ]) {
      const body = person("x", { identifier: [identifier] });
      const { status, headers } = await service.call({ method: "POST", path: "/Individual", body });
      expect(status).toBe(201);
      const location = headers.get("Location") ?? "";
      expect(location.startsWith(`${api}/Individual/`)).toBe(true);
      // RFC 3986, section 3.3, and `|`.
      expect(location).toMatch(/^(?:[\w.~!$&'()*+,;=:@/|-]|%[\dA-F]{2})+$/);
      expect((await service.call({ path: location })).body.identifier).toEqual([identifier]);
    }
  });

  it("belong to one record: the same identifier again is a duplicate", async () => {
    const body = person("x", { identifier: [{ system: "urn:second", value: "عائشة 7" }] });
    const { status, body: problem } = await service.call({ method: "POST", path: "/Individual", body });
    expect(status).toBe(409);
    expect(problem.type).toBe("urn:service:error:duplicate");
    expect((await service.call({ path: `${api}/${problem.existing}` })).status).toBe(200);
  });
});
