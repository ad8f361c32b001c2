import type { Json } from "../../json.ts";
import { type FieldError, failure, type Outcome, type Problem, success, together } from "../../problem.ts";
import type { RecordAddress } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { mayUse, requireScope } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller, IfMatch, ReadOptions, SearchParameters } from "../types.ts";
import { type GroupOperation, readEntryUrl, type Target } from "./entry-url.ts";
import type { BundleEntry } from "./parse-bundle.ts";

/** What an entry asks for. */
export type EntryRequest = ReadRequest | WriteRequest;

export type ReadRequest =
  | { readonly does: "search"; readonly type: ResourceType; readonly parameters: SearchParameters }
  | {
      readonly does: "read";
      readonly type: ResourceType;
      readonly address: RecordAddress;
      readonly options: ReadOptions;
    }
  | { readonly does: "readConsent"; readonly id: string };

export type WriteRequest =
  | {
      readonly does: "create";
      readonly type: ResourceType;
      readonly body: Json;
      /** The internal key of the new record, where the bundle has to know it. */
      readonly key?: string;
    }
  | {
      readonly does: "replace" | "patch";
      readonly type: ResourceType;
      readonly address: RecordAddress;
      readonly body: Json;
      readonly ifMatch?: IfMatch;
    }
  | {
      readonly does: GroupOperation;
      readonly type: "Group";
      /** Of all but `merge`. */
      readonly address?: RecordAddress;
      readonly body: Json;
      readonly ifMatch?: IfMatch;
    };

export function isRead(request: EntryRequest): request is ReadRequest {
  return request.does === "search" || request.does === "read" || request.does === "readConsent";
}

/** Understands an entry as the route of a single request would be: method and path, then the query. */
export function readEntry(entry: BundleEntry): Outcome<EntryRequest> {
  const url = readEntryUrl(entry.url);
  if (!url.ok) return url;
  const { target, query } = url.value;
  if (entry.method === "GET") return readRequest(target, query);
  if (entry.method === "DELETE") return failure(notPossible("DELETE", methodsOf(target)));
  const refused = together(
    Object.keys(query).map((name) => parameterFault(name, "a write; put it on the request of the bundle")),
  );
  return refused ?? writeRequest(entry, target);
}

function readRequest(target: Target, query: SearchParameters): Outcome<EntryRequest> {
  switch (target.kind) {
    case "type":
      return success({ does: "search", type: target.type, parameters: query });
    case "record": {
      const options = readOptions(query);
      const { type, address } = target;
      return options.ok ? success({ does: "read", type, address, options: options.value }) : options;
    }
    case "consent": {
      const refused = together(Object.keys(query).map((name) => parameterFault(name, "this operation")));
      return refused ?? success({ does: "readConsent", id: target.id });
    }
    case "operation":
      return failure(notPossible("GET", methodsOf(target)));
  }
}

const shown = { _elements: "elements", _extensions: "extensions" } as const;

function readOptions(query: SearchParameters): Outcome<ReadOptions> {
  const options: { elements?: string; extensions?: string } = {};
  const faults: Problem[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (name !== "_elements" && name !== "_extensions") faults.push(parameterFault(name, "this operation"));
    else if (typeof value !== "string") faults.push(parameterFault(name, "a list: give it once"));
    else options[shown[name]] = value;
  }
  return together(faults) ?? success(options);
}

function writeRequest(entry: BundleEntry, target: Target): Outcome<EntryRequest> {
  const { method, resource: body = null, ifMatch } = entry;
  const expected = ifMatch === undefined ? {} : { ifMatch };
  if (target.kind === "consent") return failure(notPossible(method, methodsOf(target)));
  if (target.kind === "operation") {
    if (method !== "POST") return failure(notPossible(method, methodsOf(target)));
    const { operation, address } = target;
    return success({ does: operation, type: "Group", body, ...expected, ...(address && { address }) });
  }
  const { type } = target;
  if (type === "Program") return failure(notPossible(method, methodsOf(target)));
  if (target.kind === "type") {
    if (method !== "POST") return failure(notPossible(method, methodsOf(target)));
    if (ifMatch !== undefined) return failure(nothingToMatch);
    return success({ does: "create", type, body });
  }
  if (method === "POST") return failure(notPossible(method, methodsOf(target)));
  const does = method === "PUT" ? "replace" : "patch";
  return success({ does, type, address: target.address, body, ...expected });
}

function methodsOf(target: Target): string {
  if (target.kind === "operation") return "POST";
  if (target.kind === "consent")
    return "GET; a consent is withdrawn by a request of its own, $revoke or DELETE";
  if (target.type === "Program") return "GET";
  return target.kind === "type" ? "GET, POST" : "GET, PUT, PATCH";
}

function notPossible(method: string, allowed: string): Problem {
  const detail = `${method} is not possible at this request.url. Possible are ${allowed}.`;
  return { kind: "method-not-allowed", detail };
}

const nothingToMatch: Problem = {
  kind: "bad-request",
  detail: "A new record has no version that request.ifMatch could name. Leave it out.",
  errors: [{ field: "ifMatch", code: "unknown_parameter", message: "has no place beside a create" }],
};

function parameterFault(field: string, where: string): Problem {
  const message = `is not a parameter of ${where}`;
  const errors: FieldError[] = [{ field, code: "unknown_parameter", message }];
  return { kind: "bad-request", detail: `${field}: ${message}.`, errors };
}

/** The scope that an entry needs, asked for before anything is looked up: contract section 7. */
export function mayAsk(settings: Settings, caller: Caller, request: EntryRequest): Outcome<void> {
  if (request.does === "readConsent") return requireScope(caller, "registry:read");
  const access = isRead(request) ? "read" : "write";
  return mayUse(settings, caller, { type: request.type, access });
}
