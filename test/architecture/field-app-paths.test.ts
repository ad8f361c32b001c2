import { apiRoot, routeTable } from "@fieldroll/server";
import { describe, expect, it } from "vitest";
import { notTheApp } from "../../examples/field-app/src/not-the-app.ts";

const isTheApps = (address: string) => !notTheApp.some((path) => path.test(address));

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

  it.each(["/", "/?q=Ana", "/index.html", "/docsier", "/errors-here", "/metadata.html"])(
    "answers %s with the app",
    (address) => {
      expect(isTheApps(address)).toBe(true);
    },
  );
});
