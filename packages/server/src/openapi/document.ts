import { allScopes, type JsonObject } from "@fieldroll/core";
import type { OperationName, Route } from "../http/route-table.ts";
import { type DocumentContext, originOf } from "./context.ts";
import { registrantExtIdSource } from "./ext-ids.ts";
import { headerComponents } from "./headers.ts";
import { withNotes } from "./notes.ts";
import { type OperationNotes, operationObject, type Tag } from "./operation.ts";
import { changeRequestNotes } from "./operations/change-requests.ts";
import { consentNotes } from "./operations/consents.ts";
import { groupNotes } from "./operations/groups.ts";
import { publicNotes } from "./operations/public.ts";
import { recordNotes } from "./operations/records.ts";
import { entitlementNotes, programNotes, registrantNotes } from "./operations/registry-style.ts";
import { sharedNotes } from "./operations/shared.ts";
import { sharedParameters } from "./parameters.ts";
import { kindsOfProblem, problemExample, problemSchemas, registryNotFound } from "./problem-schemas.ts";
import { publicSchemas } from "./public-schemas.ts";
import { recordSchemas } from "./record-schemas.ts";
import { serviceSchemas } from "./service-schemas.ts";
import { registryStyleSchemas } from "./style-schemas.ts";
import { usedComponents } from "./used-components.ts";

const notes: OperationNotes<OperationName> = {
  ...recordNotes,
  ...groupNotes,
  ...consentNotes,
  ...sharedNotes,
  ...registrantNotes,
  ...programNotes,
  ...entitlementNotes,
  ...changeRequestNotes,
  ...publicNotes,
};

const tags: Readonly<Record<Tag, string>> = {
  Records: "People, groups, programs and enrollments, addressed by external identifiers.",
  Groups: "Who belongs to a group.",
  Consents: "What a person allows to be shown to whom.",
  "Several at once": "Bundles of requests, and feeds of changes.",
  "Registry style": `A second view of people, addressed by \`ext_id\`. ${registrantExtIdSource}`,
  Benefits: "Programs, cycles and entitlements, addressed by `ext_id`.",
  "Change requests":
    "Changes that are submitted, approved and then applied: one client may do all three, unless it is bound by consent.",
  Service: "What this deployment is and how it does.",
  Tokens: "How to get an access token, and how to verify one.",
};

const about = `People, households, programs, enrollments and consents of a social protection registry.

Every request but the public ones carries \`Authorization: Bearer <token>\`. Records are addressed by \`<system>|<value>\` of any of their identifiers. Writes of a whole record carry the version they replace in \`If-Match\`. Problems are told as problem details (RFC 9457); a path that does not exist is a 404 and a method that a path does not have a 405 with \`Allow\`.`;

/** This interface as an OpenAPI 3.1 document: every route of the deployment once, with the schemas that validate. */
export function openApiDocument(context: DocumentContext): JsonObject {
  const paths = pathsOfDocument(context);
  const components = componentsOf(context);
  const used = Object.keys(tags).filter((tag) => JSON.stringify(paths).includes(`"tags":["${tag}"]`));
  return {
    openapi: "3.1.0",
    info: {
      title: "Fieldroll registry",
      version: context.appVersion,
      description: about,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: context.baseUrl, description: "Root of the API" }],
    tags: used.map((name) => ({ name, description: tags[name as Tag] })),
    paths,
    components: { ...usedComponents(paths, components), securitySchemes: securitySchemes(context) },
  };
}

function pathsOfDocument(context: DocumentContext): JsonObject {
  const templates = [...new Set(context.routes.map(({ template }) => template))];
  return Object.fromEntries(
    templates.map((template) => {
      const here = context.routes.filter((route) => route.template === template);
      const operations = here.map((route) => [route.method.toLowerCase(), describe(route, context)]);
      const atRoot = here.every(({ at }) => at === "root");
      const servers = [{ url: originOf(context), description: "Root of the server" }];
      return [template, { ...(atRoot ? { servers } : {}), ...Object.fromEntries(operations) }];
    }),
  );
}

function describe(route: Route, context: DocumentContext): JsonObject {
  const note = Object.hasOwn(notes, route.operation) ? notes[route.operation] : undefined;
  if (!note) throw new Error(`The operation ${route.operation} has no description in openapi/operations`);
  return operationObject(route, note(route, context));
}

function componentsOf(context: DocumentContext): Readonly<Record<string, JsonObject>> {
  const problems = [...kindsOfProblem, registryNotFound] as const;
  return {
    schemas: {
      ...withNotes(recordSchemas(context)),
      ...serviceSchemas,
      ...registryStyleSchemas(context),
      ...publicSchemas,
      ...problemSchemas(context),
    },
    parameters: sharedParameters(),
    headers: headerComponents(),
    examples: Object.fromEntries(
      problems.map((kind) => [kind, { summary: kind, value: problemExample(kind, context) }]),
    ),
  };
}

function securitySchemes(context: DocumentContext): JsonObject {
  const scopes = Object.fromEntries(allScopes.map((scope) => [scope, scopeMeanings[scope] ?? scope]));
  return {
    oauth2: {
      type: "oauth2",
      description: "OAuth 2.0 client credentials; the token lives for an hour.",
      flows: { clientCredentials: { tokenUrl: `${originOf(context)}/oauth2/token`, scopes } },
    },
  };
}

/** Contract section 7. */
const scopeMeanings: Readonly<Record<string, string>> = {
  "registry:read": "Read people, groups, consents, feeds and change requests",
  "registry:write": "Write people and groups, withdraw consents, submit and decide change requests",
  "program:read": "Read programs, enrollments and cycles",
  "program:write": "Enroll, and change enrollments",
  "entitlement:read": "Read entitlements",
  "entitlement:write": "Approve entitlements",
  "payment:read": "Read payments; opens nothing yet",
  "payment:write": "Process payments; opens nothing yet",
};
