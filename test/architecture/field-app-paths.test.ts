import { apiRoot, routeTable } from "@fieldroll/server";
import { describe, expect, it } from "vitest";
import { belowTheApp, notTheApp } from "../../examples/field-app/src/not-the-app.ts";

const paths = [...notTheApp, belowTheApp("/")];
const isTheApps = (address: string) => !paths.some((path) => path.test(address));

/** Where the server answers: its routes, below the API's root and at its own, as an example of each place that is filled. */
const served = routeTable({ programs: true }).flatMap(({ template, at }) => {
  const path = template.replaceAll(/\{\w+\}/g, "not-found");
  const below = at === "root" ? [] : [`${apiRoot}${path}`];
  return at === "api" ? below : [...below, path];
});

describe("the service worker", () => {
  it("leaves every address that the server answers to the server", () => {
    expect(served).toContain("/errors/not-found");
    expect(served.filter(isTheApps)).toEqual([]);
  });

  it.each(["/errors?lang=en", "/docs?", "/api/v1/anything", "/oauth2/anything", "/healthz/"])(
    "leaves %s to the server",
    (address) => {
      expect(isTheApps(address)).toBe(false);
    },
  );

  it.each(["/", "/?q=Ana", "/index.html", "/index.html?feed=all"])("answers %s with the app", (address) => {
    expect(isTheApps(address)).toBe(true);
  });

  it.each(["/foo", "/foo/bar", "/index.html/", "/indexAhtml"])("leaves %s to the server", (address) => {
    expect(isTheApps(address)).toBe(false);
  });

  it.each([
    ["/field.app/", true],
    ["/field.app/?q=Ana", true],
    ["/fieldXapp/", false],
    ["/field.app/foo", false],
  ])("knows in a folder whether %s is the app: %s", (address, isOwn) => {
    expect(!belowTheApp("/field.app/").test(address)).toBe(isOwn);
  });
});
