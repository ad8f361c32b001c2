import { shippedChangeRequestTypes } from "@fieldroll/core";
import { expect, it } from "vitest";
import { type OperationName, type Route, routeTable } from "../http/route-table.ts";
import { openApiDocument } from "./document.ts";

const context = {
  namespace: "service",
  extensions: [],
  changeRequestTypes: [],
  appVersion: "0.0.0",
  baseUrl: "http://registry.test/api/v2",
  errorsUrl: "http://registry.test/errors",
};

it("can't be made of a route whose operation nobody has described", () => {
  const operation = "somethingNew" as OperationName;
  const added: Route = { method: "GET", template: "/new", at: "api", operation, summary: "Something new" };
  const routes = [...routeTable({ programs: true }), added];
  expect(() => openApiDocument({ ...context, routes })).toThrow(/somethingNew has no description/);
});

it("has an operation for a route as soon as the table has it", () => {
  const added: Route = {
    method: "POST",
    template: "/Program",
    at: "api",
    operation: "create",
    resource: "Program",
    scope: "program:write",
    summary: "Create one Program",
  };
  const { paths } = openApiDocument({ ...context, routes: [added] });
  expect(paths).toMatchObject({ "/Program": { post: { operationId: "createProgram" } } });
});

it("says of every type of change request what it changes", () => {
  const routes = routeTable({ programs: true });
  const { components } = openApiDocument({
    ...context,
    changeRequestTypes: shippedChangeRequestTypes,
    routes,
  });
  const printed = JSON.stringify(components);
  expect(shippedChangeRequestTypes.map(({ name }) => name)).toContain("reopen_enrollment");
  for (const { name, summary } of shippedChangeRequestTypes) {
    expect(printed).toContain(JSON.stringify(`A change of the type ${name}. ${summary}`).slice(1, -1));
  }
});
