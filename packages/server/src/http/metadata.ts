import {
  allScopes,
  bodyLimits,
  type ExtensionDeclaration,
  extensionFields,
  extensionUrl,
  maxEntries,
  maxErrors,
  maxItems,
  pageSize,
  type ResourceType,
  resourceTypes,
  searchParameters,
  sortIndexes,
} from "@fieldroll/core";
import { maxBodyBytes } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { apiRoot, type OperationName, type Route } from "./route-table.ts";

const commonParameters = ["_sort", "_elements", "_extensions", "_total", "limit", "_count", "cursor"];

/** The capability statement: specification, "Resource endpoints"; contract section 5. */
export function capabilityStatement({ service, baseUrl }: Pick<Exchange, "service" | "baseUrl">) {
  const { routes } = service;
  const { namespace, extensions, programs } = service.registry.facts;
  const root = baseUrl.slice(0, -apiRoot.length);
  return {
    name: "Fieldroll registry",
    version: service.appVersion,
    apiVersion: "2.0",
    baseUrl,
    namespace,
    resources: [
      ...resourceTypes
        .map((type) => resourceSummary(type, routes))
        .filter(({ operations }) => operations.length > 0),
      consentSummary(routes),
    ],
    registryStyle: registryStyleSummary(routes, namespace),
    extension: extensions.map((declaration) => extensionSummary(declaration, namespace)),
    authentication: {
      type: "oauth2",
      grantTypes: ["client_credentials"],
      tokenUrl: `${root}/oauth2/token`,
      scopes: [...allScopes],
    },
    limits: {
      pageSize: { default: pageSize.default, maximum: pageSize.max },
      feedPageSize: { default: pageSize.default, maximum: pageSize.max },
      batchEntries: maxEntries,
      bodyBytes: maxBodyBytes,
      bodyDepth: bodyLimits.depth,
      bodyValues: bodyLimits.values,
      bodyWidth: bodyLimits.width,
      entries: maxItems,
      errors: maxErrors,
    },
    feeds: ["all", "area:<country>/<state>/<city>", ...(programs ? ["programs"] : [])],
    features: featuresOf(service),
  };
}

function featuresOf({ registry, v1 }: Exchange["service"]) {
  return {
    idempotencyKey: { methods: ["POST", "PUT", "PATCH"], paths: ["/$batch"], keptForDays: 180 },
    changes: { path: "/$changes" },
    batch: { path: "/$batch", types: ["transaction", "batch"], maxEntries, entryKeys: true },
    history: true,
    conditionalRead: true,
    conditionalWrite: { recordKey: true, referenceKey: true },
    oneHousehold: registry.facts.oneHousehold,
    clockSkew: true,
    consent: { withoutConsent: registry.facts.withoutConsent, purposeHeader: "X-Purpose" },
    v1,
  };
}

function resourceSummary(type: ResourceType, routes: readonly Route[]) {
  return {
    type,
    operations: operationsOf(routes, ({ resource }) => resource === type),
    searchParameters: [...new Set([...Object.keys(searchParameters[type]), ...commonParameters])],
    sortParameters: Object.keys(sortIndexes[type]),
  };
}

const consentOperations: readonly OperationName[] = ["readConsent", "revokeConsent", "deleteConsent"];

/** Consents can't be searched: specification, rule 5. */
function consentSummary(routes: readonly Route[]) {
  const operations = operationsOf(routes, ({ operation }) => consentOperations.includes(operation));
  return { type: "Consent", operations, searchParameters: [], sortParameters: [] };
}

/** The kinds of record of the registry-style endpoints, by the first part of their paths: contract section 6. */
const stylePaths: readonly (readonly [model: string, path: string])[] = [
  ["registrant", "/registry/registrant"],
  ["program", "/programs"],
  ["entitlement", "/entitlements"],
  ["change_request", "/change_request"],
];

function registryStyleSummary(routes: readonly Route[], namespace: string) {
  return stylePaths
    .map(([model, path]) => ({
      model: `${namespace}.${model}`,
      operations: operationsOf(
        routes,
        ({ template }) => template === path || template.startsWith(`${path}/`),
      ),
    }))
    .filter(({ operations }) => operations.length > 0);
}

function operationsOf(routes: readonly Route[], belongs: (route: Route) => boolean) {
  return routes
    .filter(belongs)
    .map(({ operation, method, template, scope }) => ({ operation, method, path: template, scope }));
}

function extensionSummary(declaration: ExtensionDeclaration, namespace: string) {
  const { name, module, appliesTo } = declaration;
  const url = extensionUrl(declaration, namespace);
  return { name, url, module, appliesTo, fields: extensionFields(declaration) };
}
