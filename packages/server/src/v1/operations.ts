import {
  type Caller,
  failure,
  type Idempotency,
  isJsonObject,
  type Json,
  type Outcome,
  type RegistryView,
  success,
} from "@fieldroll/core";
import { decoded } from "../http/address.ts";
import { maxBodyBytes, readBytes, readJson } from "../http/body.ts";
import { readIdempotency } from "../http/idempotency.ts";
import type { IntegerIds, Kind } from "./integer-ids.ts";
import type { OffsetLists, Part } from "./offset-list.ts";
import { withoutIdentity } from "./words.ts";

/** A request to version 1 whose caller is known. */
export interface FormerCall {
  readonly view: RegistryView;
  readonly caller: Caller;
  readonly request: Request;
  readonly url: URL;
  /** The path as it is always written: an idempotency key belongs to it. */
  readonly target: string;
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
  /** Whether it is the stored answer to an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
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
    const target = `${root}${parts.map((part, i) => (pattern[i] === "#" ? text : part)).join("/")}`;
    return { operations: place.operations, number, target };
  }
  return undefined;
}

function one<T extends object>(outcome: Outcome<T>): Outcome<FormerAnswer> {
  return outcome.ok ? success({ status: 200, bare: false, records: [outcome.value] }) : outcome;
}

async function recordOf<T extends object>(
  outcome: Promise<Outcome<{ readonly record: T; readonly replayed?: boolean }>>,
  status = 200,
): Promise<Outcome<FormerAnswer>> {
  const found = await outcome;
  if (!found.ok) return found;
  const { record, replayed = false } = found.value;
  return success({ status, bare: false, records: [record], replayed });
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

interface Write {
  readonly body: Json;
  readonly options: { readonly idempotency?: Idempotency };
}

/** A write with a body of JSON, and its idempotency key: contract section 5. */
async function writeOf(call: FormerCall): Promise<Outcome<Write>> {
  const body = await readJson(call.request, ["application/json"]);
  if (!body.ok) return body;
  const options = await optionsOf(call, body.value.bytes);
  return options.ok ? success({ body: body.value.value, options: options.value }) : options;
}

async function optionsOf(
  { request, target }: FormerCall,
  body: Uint8Array,
): Promise<Outcome<Write["options"]>> {
  const { method, headers } = request;
  const idempotency = await readIdempotency({ key: headers.get("Idempotency-Key"), method, target, body });
  if (!idempotency.ok) return idempotency;
  return success(idempotency.value === undefined ? {} : { idempotency: idempotency.value });
}

function listRegistrants(call: FormerCall) {
  return many(call, "registrants", (request) => call.view.registrants.list(request));
}

function readRegistrant({ view }: FormerCall, extId: string) {
  return recordOf(view.registrants.read(extId));
}

async function createRegistrant(call: FormerCall) {
  const write = await writeOf(call);
  if (!write.ok) return write;
  const { body, options } = write.value;
  return recordOf(call.view.registrants.create(body, options), 201);
}

async function replaceRegistrant(call: FormerCall, extId: string) {
  const write = await writeOf(call);
  if (!write.ok) return write;
  const { body, options } = write.value;
  return recordOf(call.view.registrants.replace(extId, withoutIdentity(body), options));
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
  const write = await writeOf(call);
  if (!write.ok) return write;
  const { body, options } = write.value;
  const id = isJsonObject(body) ? body.registrant_id : undefined;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1) {
    return failure({ kind: "validation", detail: "registrant_id must be the integer id of a registrant." });
  }
  const unknown = "00000000-0000-0000-0000-000000000000";
  const registrant = (await call.ids.extIdOf("registrant", id)) ?? unknown;
  call.names.set(registrant, String(id));
  return recordOf(call.view.programDesk.enroll(extId, { registrant_ext_id: registrant }, options), 201);
}

function listEntitlements(call: FormerCall) {
  return many(call, "entitlements", (request) => call.view.entitlements.list(request));
}

async function readEntitlement({ view }: FormerCall, extId: string) {
  return one(await view.entitlements.read(extId));
}

async function approve(call: FormerCall, extId: string) {
  const sent = await readBytes(call.request, maxBodyBytes);
  if (!sent.ok) return sent;
  const options = await optionsOf(call, sent.value);
  return options.ok ? recordOf(call.view.entitlements.approve(extId, options.value)) : options;
}
