import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import { identifiersOf } from "../registry/record/stored.ts";
import { mayUse } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Page, RecordView, WriteOptions } from "../registry/types.ts";
import { parseInput } from "../resource/parse-input.ts";
import type { Program } from "../resource/program.ts";
import { printReference } from "../resource/reference.ts";
import { commitChange } from "./commit-change.ts";
import { extIdSchema } from "./cycle-input.ts";
import { hiddenExtId, keyOf, modelOf, unknownExtId } from "./ext-id.ts";
import { addressByKey, keyNamed } from "./find-record.ts";
import { committedOf, loadFund } from "./fund.ts";
import { decideFund } from "./fund-change.ts";
import { membershipsSeen } from "./membership-sight.ts";
import { listRecords } from "./paging.ts";
import type { EnrollmentSummary, ListRequest, Money, ProgramDesk, ProgramSummary } from "./types.ts";

/** Programs in the registry-style view, enrolling in them, and their money: contract section 6. */
export function programDesk(settings: Settings, caller: Caller, records: RecordView): ProgramDesk {
  return {
    list: (request = {}) => listPrograms(settings, records, request),
    read: async (extId) => {
      const found = await discloseProgram(settings, caller, { records, extId });
      return found.ok ? success(found.value.record) : found;
    },
    disclose: (extId) => discloseProgram(settings, caller, { records, extId }),
    enroll: (extId, body, options = {}) => enroll(settings, caller, { records, extId, body, options }),
    setFund: (extId, fund) => setFund(settings, caller, { extId, fund }),
    fund: (extId) => readFund(settings, caller, extId),
  };
}

/** Ended and archived programs too: the list tells the `status` of each. */
function listPrograms(
  settings: Settings,
  { programs }: RecordView,
  request: ListRequest,
): Promise<Outcome<Page<ProgramSummary>>> {
  return listRecords(settings, "Program", {
    name: "programs",
    request,
    search: (page) => programs.search({ active: "any", ...page }),
    show: (key, program) => summaryOf(settings, key, program as Partial<Program>),
  });
}

async function discloseProgram(
  settings: Settings,
  caller: Caller,
  { records, extId }: { readonly records: RecordView; readonly extId: string },
): ReturnType<ProgramDesk["disclose"]> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "read" });
  if (!allowed.ok) return allowed;
  const key = await keyNamed(settings, "Program", { extId });
  if (key === undefined) return failure(unknownExtId("program", extId));
  const found = await records.programs.disclose(await addressByKey(settings, "Program", key));
  if (!found.ok) return found;
  const { record, versionId = "", disclosure } = found.value;
  return success({ record: summaryOf(settings, key, record), versionId, disclosure });
}

function summaryOf(settings: Settings, extId: string, program: Partial<Program>): ProgramSummary {
  const { name = null, description = null, status = null, period = {} } = program;
  return {
    ext_id: extId,
    model: modelOf(settings, "program"),
    name,
    description,
    status,
    start_date: period.start ?? null,
    end_date: period.end ?? null,
  };
}

/** The body of `enroll`. */
export const enrollSchema = z.strictObject({ registrant_ext_id: extIdSchema });

interface Enrolling {
  readonly records: RecordView;
  readonly extId: string;
  readonly body: unknown;
  readonly options: WriteOptions;
}

async function enroll(
  settings: Settings,
  caller: Caller,
  { records, extId, body, options }: Enrolling,
): ReturnType<ProgramDesk["enroll"]> {
  const allowed = mayUse(settings, caller, { type: "ProgramMembership", access: "write" });
  if (!allowed.ok) return allowed;
  const program = await keyNamed(settings, "Program", { extId });
  if (program === undefined) return failure(unknownExtId("program", extId));
  const input = parseInput(enrollSchema, body);
  if (!input.ok) return input;
  const registrant = keyOf(input.value.registrant_ext_id) ?? "";
  const [from, to] = await Promise.all([
    addressByKey(settings, "Individual", registrant),
    addressByKey(settings, "Program", program),
  ]);
  const membership = {
    type: "ProgramMembership",
    program: { reference: printReference("Program", to) },
    beneficiary: { reference: printReference("Individual", from) },
    status: "enrolled",
  };
  const written = await records.memberships.create(membership, options);
  if (!written.ok) return failure(asEnrollProblem(written.problem, registrant));
  const { record, versionId, replayed } = written.value;
  const seen = !replayed || (await membershipsSeen(settings, caller, [registrant])).has(registrant);
  if (!seen) return failure(hiddenExtId("registrant", registrant));
  const summary = enrollmentOf(settings, { record: record as unknown as JsonObject, registrant, program });
  return success({ record: summary, versionId, replayed });
}

/** What the caller sees of the membership; that it is enrolled, and who in what, it said itself. */
function enrollmentOf(
  settings: Settings,
  {
    record,
    registrant,
    program,
  }: { readonly record: JsonObject; readonly registrant: string; readonly program: string },
): EnrollmentSummary {
  const { status, enrollmentDate } = record;
  return {
    // The registry gives a membership without an identifier its key for one.
    ext_id: identifiersOf(record)[0]?.value ?? "",
    model: modelOf(settings, "program_membership"),
    registrant_ext_id: registrant,
    registrant_model: modelOf(settings, "registrant"),
    program_ext_id: program,
    program_model: modelOf(settings, "program"),
    status: typeof status === "string" ? status : "enrolled",
    enrollment_date: typeof enrollmentDate === "string" ? enrollmentDate : null,
  };
}

/** The faults of a membership as faults of what the caller sent. A hidden person and an unknown one read the same. */
function asEnrollProblem(problem: Problem, registrant: string): Problem {
  if (!problem.errors) return problem;
  const errors = problem.errors.map((error) => {
    const field = error.field.startsWith("/beneficiary") ? "/registrant_ext_id" : "";
    if (error.code !== "unknown_reference") return { ...error, field };
    return { ...error, field, message: `there is no registrant ${registrant}; create it first` };
  });
  return { ...problem, ...(problem.kind === "validation" ? invalid(errors) : { errors }) };
}

async function setFund(
  settings: Settings,
  caller: Caller,
  { extId, fund }: { readonly extId: string; readonly fund: Money },
): Promise<Outcome<Money>> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "write" });
  if (!allowed.ok) return allowed;
  const program = await keyNamed(settings, "Program", { extId });
  if (program === undefined) return failure(unknownExtId("program", extId));
  const changed = await commitChange(settings, caller, {
    decide: async () => {
      const decided = await decideFund(settings, caller, { program, fund });
      if (!decided.ok) return decided;
      return success({ parts: decided.value.parts, record: decided.value.total });
    },
  });
  return changed.ok ? success(changed.value.record) : changed;
}

async function readFund(settings: Settings, caller: Caller, extId: string): ReturnType<ProgramDesk["fund"]> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "read" });
  if (!allowed.ok) return allowed;
  const program = await keyNamed(settings, "Program", { extId });
  if (program === undefined) return failure(unknownExtId("program", extId));
  const { fund } = await loadFund(settings, program);
  const { total } = fund;
  if (!total) return success(null);
  return success({ total, committed: { value: committedOf(fund, total), currency: total.currency } });
}
