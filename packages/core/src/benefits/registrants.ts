import type { JsonObject } from "../json.ts";
import { failure, type Outcome, type Problem, success } from "../problem.ts";
import { identifiersOf } from "../registry/record/stored.ts";
import { mayUse } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Page, RecordView, WriteOptions } from "../registry/types.ts";
import { hiddenExtId, keyOf, modelOf, unknownExtId } from "./ext-id.ts";
import { addressByKey } from "./find-record.ts";
import { listRecords } from "./paging.ts";
import { asRegistrantProblem, individualBody, individualPatch, parseRegistrant } from "./registrant-input.ts";
import { registrantOf } from "./registrant-view.ts";
import type { ListRequest, Registrant, RegistrantVerbs } from "./types.ts";
import { unheardView } from "./unheard-view.ts";

/** The members of an Individual that a registrant shows. */
const elements = "name,birthDate,gender";

/**
 * Individuals in the registry-style view: contract section 6. Every verb goes through the verbs of Individuals, so that what
 * a caller sees, and what the audit trail is told, is decided in one place.
 */
export function registrantVerbs(settings: Settings, caller: Caller, records: RecordView): RegistrantVerbs {
  return {
    list: (request = {}) => listRegistrants(settings, records, request),
    read: (extId) => readRegistrant(settings, caller, { records, extId }),
    create: (body, options = {}) => createRegistrant(settings, caller, { records, body, options }),
    replace: (extId, body, options = {}) =>
      replaceRegistrant(settings, caller, { records, extId, body, options }),
  };
}

function listRegistrants(
  settings: Settings,
  { individuals }: RecordView,
  request: ListRequest,
): Promise<Outcome<Page<Registrant>>> {
  return listRecords(settings, "Individual", {
    name: "registrants",
    request,
    search: (page) => individuals.search({ _elements: elements, ...page }),
    show: (key, individual) => registrantOf(settings, key, individual),
  });
}

async function readRegistrant(
  settings: Settings,
  caller: Caller,
  { records, extId }: { readonly records: RecordView; readonly extId: string },
): ReturnType<RegistrantVerbs["read"]> {
  const allowed = mayUse(settings, caller, { type: "Individual", access: "read" });
  if (!allowed.ok) return allowed;
  const key = keyOf(extId);
  if (key === undefined) return failure(unknownExtId("registrant", extId));
  const address = await addressByKey(settings, "Individual", key);
  const found = await records.individuals.disclose(address, { elements });
  if (!found.ok) return failure(renamed(found.problem, extId));
  const { record, versionId = "", disclosure } = found.value;
  return success({
    record: registrantOf(settings, key, record as unknown as JsonObject),
    versionId,
    disclosure,
  });
}

async function createRegistrant(
  settings: Settings,
  caller: Caller,
  {
    records,
    body,
    options,
  }: { readonly records: RecordView; readonly body: unknown; readonly options: WriteOptions },
): ReturnType<RegistrantVerbs["create"]> {
  const allowed = mayUse(settings, caller, { type: "Individual", access: "write" });
  if (!allowed.ok) return allowed;
  const input = parseRegistrant(settings.schemas, body);
  if (!input.ok) return input;
  const system = `urn:${settings.namespace}:registrant`;
  const key = settings.newId();
  const entry = { verb: "create", type: "Individual", key } as const;
  const written = await records.transaction([{ ...entry, body: individualBody(input.value, system, key) }], {
    elements,
    ...(options.idempotency && { idempotency: options.idempotency }),
  });
  if (!written.ok) return failure(asRegistrantProblem(written.problem));
  const [answer] = written.value;
  const { record = {}, versionId = "", replayed = false } = answer ?? {};
  // A stored answer names the key that was given then.
  const given = identifiersOf(record).find((identifier) => identifier.system === system)?.value ?? key;
  return success({ record: registrantOf(settings, given, record), versionId, replayed });
}

interface Replacement {
  readonly records: RecordView;
  readonly extId: string;
  readonly body: unknown;
  readonly options: WriteOptions;
}

/** Others may change the person in between; a caller that sent no If-Match doesn't have to know. */
const attempts = 20;

async function replaceRegistrant(
  settings: Settings,
  caller: Caller,
  { records, extId, body, options }: Replacement,
): ReturnType<RegistrantVerbs["replace"]> {
  const allowed = mayUse(settings, caller, { type: "Individual", access: "write" });
  if (!allowed.ok) return allowed;
  const key = keyOf(extId);
  if (key === undefined) return failure(unknownExtId("registrant", extId));
  const input = parseRegistrant(settings.schemas, body, {
    extId: key,
    model: modelOf(settings, "registrant"),
  });
  if (!input.ok) return input;
  const address = await addressByKey(settings, "Individual", key);
  const unheard = unheardView(settings, caller);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await unheard.individuals.disclose(address, { elements });
    if (!before.ok) return failure(renamed(before.problem, extId));
    const patch = individualPatch(input.value, before.value);
    const seen = before.value.versionId;
    const written = await records.individuals.patch(address, patch, {
      ...options,
      elements,
      ifMatch: options.ifMatch ?? (seen === undefined ? "*" : [seen]),
    });
    if (!written.ok && written.problem.kind === "conflict" && options.ifMatch === undefined) continue;
    if (!written.ok) return failure(asRegistrantProblem(written.problem));
    const { record, versionId, replayed } = written.value;
    return success({
      record: registrantOf(settings, key, record as unknown as JsonObject),
      versionId,
      replayed,
    });
  }
  return failure({
    kind: "unavailable",
    detail: "Too many others change this registrant just now. Try again.",
  });
}

/** What is said of an address, said of the `ext_id` that the caller knows. */
function renamed(problem: Problem, extId: string): Problem {
  if (problem.kind === "not-found") return unknownExtId("registrant", extId);
  const hidden = problem.kind === "authorization" && problem.missingScope === undefined;
  return hidden ? hiddenExtId("registrant", extId) : problem;
}
