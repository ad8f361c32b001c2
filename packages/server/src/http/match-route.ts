import { byExactness, type PathPattern, patternOf, placed } from "./path-pattern.ts";
import { pathsOf, type Route } from "./route-table.ts";

/** What there is at a path. */
export interface Place {
  readonly pattern: PathPattern;
  readonly routes: readonly Route[];
  /** What stands in the place of the pattern's name, as sent. */
  readonly param: string;
}

/** Finds what there is at a path, given as `routingPath` writes it. */
export type Matcher = (path: string) => Place | undefined;

/** Makes a matcher of a route table. */
export function createMatcher(routes: readonly Route[]): Matcher {
  const paths = [...new Set(routes.flatMap(pathsOf))];
  const places = paths
    .map((path) => ({
      pattern: patternOf(path),
      routes: routes.filter((route) => pathsOf(route).includes(path)),
    }))
    .sort((a, b) => byExactness(a.pattern, b.pattern));
  const exact = new Map(
    places
      .filter(({ pattern }) => pattern.place === "none")
      .map((place) => [place.pattern.path, { ...place, param: "" }]),
  );
  const open = places.filter(({ pattern }) => pattern.place !== "none");
  return (path) => {
    const found = exact.get(path);
    if (found) return found;
    for (const place of open) {
      const param = placed(place.pattern, path);
      if (param !== undefined) return { ...place, param };
    }
    return undefined;
  };
}

/** The route of a method; HEAD is answered as GET is (RFC 9110 section 9.3.2). */
export function routeFor({ routes }: Place, method: string): Route | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  return routes.find((route) => route.method === wanted);
}

/** The methods possible at a place, as `Allow` lists them. */
export function allowedAt({ routes }: Place): string {
  const methods = routes.map(({ method }) => method);
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
