import { failure, type Outcome, type ProblemKind, quoted } from "@fieldroll/core";
import { routingPath } from "./address.ts";
import type { Exchange } from "./exchange.ts";
import { apiRoot, type Route } from "./route-table.ts";

/**
 * Says what to call where a path ends like an operation, such as `$merge`, and no operation is there: the path of the operation of that
 * name, or the operations of the resource. Empty for any other path. Such a path is otherwise a record's address: an identifier may end so.
 */
export function operationHint(routes: readonly Route[], path: string): string {
  const [, resource = "", name = ""] = /^\/api\/v2\/(?:([^/]+)\/(?:.*\/)?)?(\$[^/]*)$/.exec(path) ?? [];
  if (name === "") return "";
  const below = resource === "" ? "/" : `/${resource}/`;
  const operations = routes.filter(
    ({ template }) => template.startsWith(below) && /\/\$[\w-]+$/.test(template),
  );
  const same = operations.filter(({ template }) => template.endsWith(`/${name}`));
  if (same.length > 0) return ` The path of ${name} is ${listed(same)}.`;
  const of = resource === "" ? "" : ` of ${quoted(resource)}`;
  const known = operations.filter(({ template }) => resource !== "" || template.startsWith("/$"));
  const others = known.length > 0 ? `There are ${listed(known)}.` : "GET /metadata lists what there is.";
  return ` There is no operation ${quoted(name)}${of}. ${others}`;
}

function listed(routes: readonly Route[]): string {
  return routes.map(({ method, template }) => `${method} ${apiRoot}${template}`).join(", ");
}

const kindsWithHint: readonly string[] = [
  "not-found",
  "authorization",
  "bad-request",
] satisfies ProblemKind[];

/** A record's address that ends like an operation may be one that does not exist, and then is no record's either. */
export function withOperationHint<T>(
  { service, route, request, param }: Exchange,
  outcome: Outcome<T>,
): Outcome<T> {
  if (outcome.ok || !kindsWithHint.includes(outcome.problem.kind)) return outcome;
  if (!route.template.endsWith("{address}") || !param.includes("$")) return outcome;
  const { detail } = outcome.problem;
  return failure({
    ...outcome.problem,
    detail: `${detail}${operationHint(service.routes, routingPath(request.url))}`,
  });
}
