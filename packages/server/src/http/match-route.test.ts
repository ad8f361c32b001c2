import { describe, expect, it } from "vitest";
import { routingPath } from "./address.ts";
import { allowedAt, createMatcher } from "./match-route.ts";
import { isServicePath, routeTable } from "./route-table.ts";

const routes = routeTable({ programs: true });
const match = createMatcher(routes);
const at = (path: string) => match(routingPath(`http://host${path}`));

describe("a path", () => {
  const cases: readonly (readonly [string, string | undefined, string])[] = [
    ["/api/v2/Individual", "/api/v2/Individual", ""],
    ["/api/v2/Individual/", "/api/v2/Individual/{address}", ""],
    ["/api/v2/Individual/urn:x|1", "/api/v2/Individual/{address}", "urn:x|1"],
    ["/api/v2/Individual/http://a//b|c/d", "/api/v2/Individual/{address}", "http://a//b|c/d"],
    [
      "/api/v2/Individual/http://a//b|c/d/$history",
      "/api/v2/Individual/{address}/$history",
      "http://a//b|c/d",
    ],
    ["/api/v2/Individual/urn:x|1/%24history", "/api/v2/Individual/{address}/$history", "urn:x|1"],
    ["/api/v2/Individual/urn:x|1%2F$history", "/api/v2/Individual/{address}", "urn:x|1%2F$history"],
    ["/api/v2/Individual/$history", "/api/v2/Individual/{address}", "$history"],
    ["/api/v2/Group/$merge", "/api/v2/Group/$merge", ""],
    ["/api/v2/Group/%24merge", "/api/v2/Group/$merge", ""],
    ["/api/v2/Group/urn:x|1/$merge", "/api/v2/Group/{address}", "urn:x|1/$merge"],
    ["/api/v2/Group/urn:x|1/$add-member", "/api/v2/Group/{address}/$add-member", "urn:x|1"],
    ["/api/v2/Consent/4711", "/api/v2/Consent/{id}", "4711"],
    ["/api/v2/Consent/4711/$revoke", "/api/v2/Consent/{id}/$revoke", "4711"],
    ["/api/v2/Consent/47/11", undefined, ""],
    ["/api/v2/Consent/", undefined, ""],
    ["/api/v2/Consent", undefined, ""],
    ["/api/v2/programs/4711/cycles", "/api/v2/programs/{ext_id}/cycles", "4711"],
    ["/api/v2/%24batch", "/api/v2/$batch", ""],
    ["/api/v2//Individual", undefined, ""],
    ["/metadata", "/metadata", ""],
    ["/oauth2/token", "/oauth2/token", ""],
    ["/api/v2/oauth2/token", undefined, ""],
  ];
  it.each(cases)("%s is %s", (path, template, param) => {
    const found = at(path);
    expect(found?.pattern.path).toBe(template);
    expect(found?.param ?? "").toBe(param);
  });
});

describe("the methods possible at a path", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["/api/v2/Individual/urn:x|1", "GET, PUT, PATCH, HEAD, OPTIONS"],
    ["/api/v2/Individual/urn:x|1/$history", "GET, HEAD, OPTIONS"],
    ["/api/v2/Group/$merge", "POST, OPTIONS"],
    ["/api/v2/Consent/1", "GET, DELETE, HEAD, OPTIONS"],
    ["/api/v2/registry/registrant", "GET, POST, HEAD, OPTIONS"],
  ];
  it.each(cases)("%s are %s", (path, allow) => {
    const place = at(path);
    expect(place && allowedAt(place)).toBe(allow);
  });
});

describe("the service", () => {
  it.each(["/metadata", "/errors/not-found", "/api/v1/g2p/programs", "/oauth2/jwks"])(
    "answers at %s",
    (path) => {
      expect(isServicePath(routes, path)).toBe(true);
    },
  );
  it.each(["/", "/index.html", "/errors/a/b", "/household/1"])("leaves %s to a field app", (path) => {
    expect(isServicePath(routes, path)).toBe(false);
  });
});
