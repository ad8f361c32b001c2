import { type Budget, type Caller, failure, type Outcome, type RegistryView, success } from "@fieldroll/core";
import { decoded } from "../http/address.ts";
import { checkParameters } from "../http/exchange.ts";
import type { IntegerIds, Kind } from "./integer-ids.ts";
import type { OffsetLists } from "./offset-list.ts";
import { bareWriteOf, type FormerRequest, partOf, registrantIdOf, sentBack, writeOf } from "./requests.ts";

/** A request to version 1 whose caller is known. */
export interface FormerCall extends FormerRequest {
  readonly view: RegistryView;
  /** What the request may still cost to read. */
  readonly budget: Pick<Budget, "isSpent" | "handle">;
  readonly caller: Caller;
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
  /** Of the record, where its reader may see it; empty otherwise. */
  readonly versionId?: string;
}

/** The record that a path names. */
export interface Target {
  /** A UUID that nobody has, where the integer is nobody's. */
  readonly extId: string;
  /** 0 where the path names no record. */
  readonly id: number;
}

/** One operation, and the scope that opens it. */
export interface Operation {
  readonly scope: string;
  run(call: FormerCall, target: Target): Promise<Outcome<FormerAnswer>>;
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
/** The `ext_id` that stands for an integer which is nobody's. */
export const nobody = "00000000-0000-0000-0000-000000000000";

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

interface Found {
  readonly record: object;
  readonly replayed?: boolean;
  readonly versionId?: string;
}

async function recordOf(outcome: Promise<Outcome<Found>>, status = 200): Promise<Outcome<FormerAnswer>> {
  const found = await outcome;
  if (!found.ok) return found;
  const { record, replayed = false, versionId = "" } = found.value;
  return success({ status, bare: false, records: [record], replayed, versionId });
}

/** A record that is only read, by an operation without parameters. */
async function readOf(call: FormerCall, read: () => Promise<Outcome<Found>>): Promise<Outcome<FormerAnswer>> {
  const known = checkParameters(call.url, []);
  return known.ok ? recordOf(read()) : known;
}

function plain<T extends object>(outcome: Outcome<T>): Outcome<Found> {
  return outcome.ok ? success({ record: outcome.value }) : outcome;
}

type List = Parameters<OffsetLists["part"]>[1];

async function many(call: FormerCall, name: string, list: List): Promise<Outcome<FormerAnswer>> {
  const part = partOf(call.url);
  if (!part.ok) return part;
  const { clientId, scopes, purpose = "" } = call.caller;
  const whose = [clientId, scopes.join(" "), purpose, name].join("\n");
  const found = await call.lists.part(whose, list, { ...part.value, isSpent: () => call.budget.isSpent() });
  return found.ok ? success({ status: 200, bare: true, records: found.value as object[] }) : found;
}

function listRegistrants(call: FormerCall) {
  return many(call, "registrants", (request) => call.view.registrants.list(request));
}

function readRegistrant(call: FormerCall, { extId }: Target) {
  return readOf(call, () => call.view.registrants.read(extId));
}

async function createRegistrant(call: FormerCall) {
  const write = await writeOf(call);
  if (!write.ok) return write;
  const { body, options } = write.value;
  return recordOf(call.view.registrants.create(body, options), 201);
}

async function replaceRegistrant(call: FormerCall, { extId, id }: Target) {
  const write = await writeOf(call);
  if (!write.ok) return write;
  const body = sentBack(write.value.body, id);
  if (!body.ok) return body;
  return recordOf(call.view.registrants.replace(extId, body.value, write.value.options));
}

function listPrograms(call: FormerCall) {
  return many(call, "programs", (request) => call.view.programDesk.list(request));
}

function readProgram(call: FormerCall, { extId }: Target) {
  return readOf(call, async () => plain(await call.view.programDesk.read(extId)));
}

function listCycles(call: FormerCall, { extId }: Target) {
  return many(call, `cycles of ${extId}`, (request) => call.view.cycles.list(extId, request));
}

async function enroll(call: FormerCall, { extId }: Target): Promise<Outcome<FormerAnswer>> {
  const write = await writeOf(call);
  if (!write.ok) return write;
  const id = registrantIdOf(write.value.body);
  if (!id.ok) return id;
  const registrant = (await call.ids.extIdOf("registrant", id.value)) ?? nobody;
  call.names.set(registrant, String(id.value));
  const body = { registrant_ext_id: registrant };
  const enrolled = await call.view.programDesk.enroll(extId, body, write.value.options);
  if (enrolled.ok || enrolled.problem.kind !== "duplicate") return recordOf(Promise.resolve(enrolled), 201);
  // An enrollment has no path here, so there is none to see.
  const detail = `The registrant ${id.value} is in this program already.`;
  return failure({ kind: "duplicate", detail });
}

function listEntitlements(call: FormerCall) {
  return many(call, "entitlements", (request) => call.view.entitlements.list(request));
}

function readEntitlement(call: FormerCall, { extId }: Target) {
  return readOf(call, async () => plain(await call.view.entitlements.read(extId)));
}

async function approve(call: FormerCall, { extId }: Target) {
  const options = await bareWriteOf(call);
  return options.ok ? recordOf(call.view.entitlements.approve(extId, options.value)) : options;
}
