import type { Method, Route } from "../route-table.ts";

/** A route below the API's root. */
export function apiRoute(
  method: Method,
  template: string,
  rest: Omit<Route, "method" | "template" | "at">,
): Route {
  return { method, template, at: "api", ...rest };
}
