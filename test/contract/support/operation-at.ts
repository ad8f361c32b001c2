/** What the tests read of an OpenAPI document. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, PathItem>>;
}

interface PathItem {
  readonly servers?: unknown;
  readonly [method: string]: unknown;
}

/** A path of the document, and its pattern for paths of requests. */
export interface KnownPath {
  readonly template: string;
  readonly methods: readonly string[];
  readonly pattern: RegExp;
}

const apiRoot = "/api/v2";
const methods = ["get", "post", "put", "patch", "delete"];

/** The paths of a document, those that say most first. */
export function knownPaths({ paths }: OpenApiDocument): readonly KnownPath[] {
  return Object.entries(paths)
    .map(([template, item]) => ({
      template,
      methods: methods.filter((method) => method in item),
      pattern: patternOf(template, item.servers !== undefined),
    }))
    .sort((a, b) => placesIn(a.template) - placesIn(b.template) || b.template.length - a.template.length);
}

/** Public pages are served below the API's root and at the server's root as well. */
function patternOf(template: string, atRoot: boolean): RegExp {
  const source = template
    .replaceAll(/[$.]/g, "\\$&")
    .replaceAll("{address}", ".+")
    .replaceAll(/\{\w+\}/g, "[^/]+");
  const isPage = [
    "/metadata",
    "/openapi.json",
    "/docs",
    "/healthz",
    "/readyz",
    "/metrics",
    "/errors",
    "/errors/{id}",
  ];
  const root = atRoot ? "" : isPage.includes(template) ? `(?:${apiRoot})?` : apiRoot;
  return new RegExp(`^${root}${source}$`);
}

function placesIn(template: string): number {
  return template.includes("{") ? 1 : 0;
}

/** The path of the document that a request's path stands for. */
export function pathAt(paths: readonly KnownPath[], url: string): KnownPath | undefined {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const [path = ""] = url.slice(start).split(/[?#]/, 1);
  const sent = path.replaceAll(/\/%24/g, "/$");
  return paths.find(({ pattern }) => pattern.test(sent));
}
