import {
  type ExtensionDeclaration,
  extensionFields,
  extensionUrl,
  pageSize,
  type ResourceType,
  resourceTypes,
  searchParameters,
  sortIndexes,
} from "@fieldroll/core";
import { maxBodyBytes } from "./body.ts";
import type { Exchange, Service } from "./exchange.ts";
import { maxDepth } from "./json-text.ts";
import { apiRoot, type Route } from "./route-table.ts";

const pagingParameters = ["_sort", "limit", "_count", "cursor"];

/** The capability statement: specification, "Resource endpoints"; contract section 5. */
export function capabilityStatement({ service, baseUrl }: Pick<Exchange, "service" | "baseUrl">) {
  const { routes, namespace } = service;
  const authUrl = baseUrl.slice(0, -apiRoot.length);
  return {
    name: "Fieldroll registry",
    version: service.appVersion,
    apiVersion: "2.0",
    baseUrl,
    namespace,
    resources: resourceTypes
      .map((type) => resourceSummary(type, routes))
      .filter((resource) => resource.operations.length > 0),
    extension: service.extensions.map((declaration) => extensionSummary(declaration, namespace)),
    authentication: {
      type: "oauth2",
      grantTypes: ["client_credentials"],
      tokenUrl: `${authUrl}/oauth2/token`,
      scopes: [...new Set(routes.flatMap(({ scope }) => scope ?? []))].sort(),
    },
    limits: {
      pageSize: { default: pageSize.default, maximum: pageSize.max },
      feedPageSize: { default: pageSize.default, maximum: pageSize.max },
      bodyBytes: maxBodyBytes,
      bodyDepth: maxDepth,
    },
    feeds: ["all", "area:<country>/<state>/<city>", ...(service.programs ? ["programs"] : [])],
    features: {
      idempotencyKey: { methods: ["POST", "PUT", "PATCH"], keptForDays: 180 },
      changes: { path: "/$changes" },
      conditionalRead: true,
      batch: false,
    },
  };
}

function resourceSummary(type: ResourceType, routes: readonly Route[]) {
  const own = routes.filter(({ resource }) => resource === type);
  return {
    type,
    operations: own.map(({ operation, method, template, scope }) => ({
      operation,
      method,
      path: template,
      scope,
    })),
    searchParameters: [...Object.keys(searchParameters[type]), ...pagingParameters],
    sortParameters: Object.keys(sortIndexes[type]),
  };
}

function extensionSummary(declaration: ExtensionDeclaration, namespace: Service["namespace"]) {
  const { name, module, appliesTo } = declaration;
  const url = extensionUrl(declaration, namespace);
  return { name, url, module, appliesTo, fields: extensionFields(declaration) };
}
