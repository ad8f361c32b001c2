import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import { parseAddress, type RecordAddress } from "../../resource/reference.ts";
import { type ResourceType, resourceTypes } from "../../resource/types.ts";
import type { SearchParameters } from "../types.ts";

/** The member operations that a bundle may hold. */
export type GroupOperation = "addMember" | "removeMember" | "merge" | "split";

/** What the `request.url` of an entry names: contract section 5. */
export type Target =
  | { readonly kind: "type"; readonly type: ResourceType }
  | { readonly kind: "record"; readonly type: ResourceType; readonly address: RecordAddress }
  | { readonly kind: "consent"; readonly id: string }
  | { readonly kind: "operation"; readonly operation: GroupOperation; readonly address?: RecordAddress };

export interface EntryUrl {
  readonly target: Target;
  readonly query: SearchParameters;
}

/**
 * Reads `Type`, `Type/<system>|<value>` or a member operation, each relative to the API's root, the address percent-encoded or
 * not; a query begins at the first `?`.
 */
export function readEntryUrl(url: string): Outcome<EntryUrl> {
  const mark = url.indexOf("?");
  const path = (mark === -1 ? url : url.slice(0, mark)).replace(/^\//, "").replaceAll(/(^|\/)%24/g, "$1$");
  const target = readTarget(path);
  if (!target.ok) return target;
  const query = readQuery(mark === -1 ? "" : url.slice(mark + 1));
  return query.ok ? success({ target: target.value, query: query.value }) : query;
}

/** What an url names, written the same way however it was encoded; as it is where it names nothing. */
export function targetOf(url: string): string {
  const read = readEntryUrl(url);
  if (!read.ok) return url;
  const { target } = read.value;
  if (target.kind === "consent") return `Consent/${target.id}`;
  const type = target.kind === "operation" ? "Group" : target.type;
  const address =
    "address" in target && target.address ? `/${target.address.system}|${target.address.value}` : "";
  return `${type}${address}${target.kind === "operation" ? `/${operationNames[target.operation]}` : ""}`;
}

const operationNames: Readonly<Record<GroupOperation, string>> = {
  addMember: "$add-member",
  removeMember: "$remove-member",
  split: "$split",
  merge: "$merge",
};

const operations: Readonly<Record<string, GroupOperation>> = {
  "$add-member": "addMember",
  "$remove-member": "removeMember",
  $split: "split",
};

function readTarget(path: string): Outcome<Target> {
  const slash = path.indexOf("/");
  const name = slash === -1 ? path : path.slice(0, slash);
  const rest = slash === -1 ? "" : path.slice(slash + 1);
  if (path === "Group/$merge") return success({ kind: "operation", operation: "merge" });
  if (name === "Consent" && rest !== "") return success({ kind: "consent", id: rest });
  const type = resourceTypes.find((known) => known === name);
  if (!type) return failure(nothingThere);
  if (slash === -1) return success({ kind: "type", type });
  const last = rest.slice(rest.lastIndexOf("/") + 1);
  if (!last.startsWith("$")) {
    const address = parseAddress(rest);
    return address.ok ? success({ kind: "record", type, address: address.value }) : address;
  }
  const operation = type === "Group" ? operations[last] : undefined;
  if (!operation) return failure(nothingThere);
  const address = parseAddress(rest.slice(0, -last.length - 1));
  return address.ok ? success({ kind: "operation", operation, address: address.value }) : address;
}

const nothingThere: Problem = {
  kind: "not-found",
  detail:
    "There is nothing for a bundle at this request.url. It is relative to the API's root, and written Type, Type/<system>|<value>, Group/<system>|<value>/$add-member (or $remove-member, $split), Group/$merge or Consent/<id>.",
};

/** A query as forms write it (WHATWG URL, "application/x-www-form-urlencoded parsing"). */
function readQuery(text: string): Outcome<SearchParameters> {
  const parameters: Record<string, string | string[]> = {};
  for (const pair of text.split("&").filter((part) => part !== "")) {
    const equals = pair.indexOf("=");
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = decoded(equals === -1 ? "" : pair.slice(equals + 1));
    if (name === undefined || value === undefined) return failure(badQuery);
    const before = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    Object.defineProperty(parameters, name, {
      value: before === undefined ? value : [before, value].flat(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return success(parameters);
}

const badQuery: Problem = {
  kind: "bad-request",
  detail: "The query of request.url is not well percent-encoded; write a percent sign as %25.",
};

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
