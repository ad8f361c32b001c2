import {
  type Caller,
  failure,
  isJsonObject,
  type Outcome,
  type RegistryView,
  success,
} from "@fieldroll/core";
import { decoded } from "../http/address.ts";
import { readJson } from "../http/body.ts";
import type { IntegerIds, Kind } from "./integer-ids.ts";
import type { OffsetLists, Part } from "./offset-list.ts";
import { withoutIdentity } from "./words.ts";

/** A request to version 1 whose caller is known. */
export interface FormerCall {
  readonly view: RegistryView;
  readonly caller: Caller;
  readonly request: Request;
  readonly url: URL;
  readonly ids: IntegerIds;
  readonly lists: OffsetLists;
  /** The integers of `ext_id`s that errors may speak of. */
  readonly names: Map<string, string>;
}

/** What is answered: one record, or a list of them as a bare array. */
export interface FormerAnswer {
  readonly status: number;
  readonly bare: boolean;
  readonly records: readonly object[];
}

/** One operation, and the scope that opens it. */
export interface Operation {
  readonly scope: string;
  /** @param extId of the record that the path names, where it names one */
  run(call: FormerCall, extId: string): Promise<Outcome<FormerAnswer>>;
}

interface Place {
  /** Below `/api/v1/g2p/`; `#` stands for an integer. */
  readonly path: string;
  readonly kind?: Kind;
  readonly operations: Readonly<Record<string, Operation>>;
}

const registrants = { read: "registry:read", write: "registry:write" };
const programs = { read: "program:read", write: "program:write" };
const entitled = { read: "entitlement:read", write: "entitlement:write" };

const places: readonly Place[] = [
  {
    path: "registry/registrant",
    operations: {
      GET: { scope: registrants.read, run: listRegistrants },
      POST: { scope: registrants.write, run: createRegistrant },
    },
  },
  {
    path: "registry/registrant/#",
    kind: "registrant",
    operations: {
      GET: { scope: registrants.read, run: readRegistrant },
      PUT: { scope: registrants.write, run: replaceRegistrant },
    },
  },
  { path: "programs", operations: { GET: { scope: programs.read, run: listPrograms } } },
  { path: "programs/#", kind: "program", operations: { GET: { scope: programs.read, run: readProgram } } },
  {
    path: "programs/#/enroll",
    kind: "program",
    operations: { POST: { scope: programs.write, run: enroll } },
  },
  {
    path: "programs/#/cycles",
    kind: "program",
    operations: { GET: { scope: programs.read, run: listCycles } },
  },
  { path: "entitlements", operations: { GET: { scope: entitled.read, run: listEntitlements } } },
  {
    path: "entitlements/#",
    kind: "entitlement",
    operations: { GET: { scope: entitled.read, run: readEntitlement } },
  },
  {
    path: "entitlements/#/approve",
    kind: "entitlement",
    operations: { POST: { scope: entitled.write, run: approve } },
  },
];

const root = "/api/v1/g2p/";

/** The place that a path names, and the integer in it. */
export function matchFormer(path: string) {
  if (!path.startsWith(root)) return undefined;
  const parts = path.slice(root.length).replace(/\/$/, "").split("/");
  for (const place of places) {
    const pattern = place.path.split("/");
    if (pattern.length !== parts.length) continue;
    if (!pattern.every((part, i) => part === "#" || part === parts[i])) continue;
    const text = decoded(parts[pattern.indexOf("#")] ?? "") ?? "";
    const number = place.kind === undefined ? undefined : { kind: place.kind, text };
    return { operations: place.operations, number };
  }
  return undefined;
}

function one<T extends object>(outcome: Outcome<T>, status = 200): Outcome<FormerAnswer> {
  return outcome.ok ? success({ status, bare: false, records: [outcome.value] }) : outcome;
}

async function recordOf<T extends object>(
  outcome: Promise<Outcome<{ readonly record: T }>>,
  status = 200,
): Promise<Outcome<FormerAnswer>> {
  const found = await outcome;
  return found.ok ? one(success(found.value.record), status) : found;
}

type List = Parameters<OffsetLists["part"]>[1];

async function many(call: FormerCall, name: string, list: List): Promise<Outcome<FormerAnswer>> {
  const part = partOf(call.url);
  if (!part.ok) return part;
  const { clientId, scopes, purpose = "" } = call.caller;
  const whose = [clientId, scopes.join(" "), purpose, name].join("\n");
  const found = await call.lists.part(whose, list, part.value);
  return found.ok ? success({ status: 200, bare: true, records: found.value as object[] }) : found;
}

function partOf({ searchParams }: URL): Outcome<Part> {
  const limit = wholeNumber(searchParams.get("limit") ?? "20");
  const offset = wholeNumber(searchParams.get("offset") ?? "0");
  if (limit === undefined || limit < 1 || limit > 500) {
    return failure({ kind: "bad-request", detail: "limit must be a whole number from 1 to 500." });
  }
  if (offset === undefined) {
    return failure({ kind: "bad-request", detail: "offset must be a whole number, 0 or more." });
  }
  return success({ limit, offset });
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

async function bodyOf({ request }: FormerCall) {
  const body = await readJson(request, ["application/json"]);
  return body.ok ? success(body.value.value) : body;
}

function listRegistrants(call: FormerCall) {
  return many(call, "registrants", (request) => call.view.registrants.list(request));
}

function readRegistrant({ view }: FormerCall, extId: string) {
  return recordOf(view.registrants.read(extId));
}

async function createRegistrant(call: FormerCall) {
  const body = await bodyOf(call);
  return body.ok ? recordOf(call.view.registrants.create(body.value), 201) : body;
}

async function replaceRegistrant(call: FormerCall, extId: string) {
  const body = await bodyOf(call);
  return body.ok ? recordOf(call.view.registrants.replace(extId, withoutIdentity(body.value))) : body;
}

function listPrograms(call: FormerCall) {
  return many(call, "programs", (request) => call.view.programDesk.list(request));
}

async function readProgram({ view }: FormerCall, extId: string) {
  return one(await view.programDesk.read(extId));
}

function listCycles(call: FormerCall, extId: string) {
  return many(call, `cycles of ${extId}`, (request) => call.view.cycles.list(extId, request));
}

async function enroll(call: FormerCall, extId: string): Promise<Outcome<FormerAnswer>> {
  const body = await bodyOf(call);
  if (!body.ok) return body;
  const id = isJsonObject(body.value) ? body.value.registrant_id : undefined;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1) {
    return failure({ kind: "validation", detail: "registrant_id must be the integer id of a registrant." });
  }
  const unknown = "00000000-0000-0000-0000-000000000000";
  const registrant = (await call.ids.extIdOf("registrant", id)) ?? unknown;
  call.names.set(registrant, String(id));
  return recordOf(call.view.programDesk.enroll(extId, { registrant_ext_id: registrant }), 201);
}

function listEntitlements(call: FormerCall) {
  return many(call, "entitlements", (request) => call.view.entitlements.list(request));
}

async function readEntitlement({ view }: FormerCall, extId: string) {
  return one(await view.entitlements.read(extId));
}

function approve({ view }: FormerCall, extId: string) {
  return recordOf(view.entitlements.approve(extId));
}
