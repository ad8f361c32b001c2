import * as z from "zod";
import { auditPart } from "../benefits/audit-part.ts";
import { commitChange } from "../benefits/commit-change.ts";
import { keyOf } from "../benefits/ext-id.ts";
import type { JsonObject } from "../json.ts";
import { type FieldError, failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import { anyObject } from "../resource/any-json.ts";
import { parseInput } from "../resource/parse-input.ts";
import { nonEmptyLine, prose } from "../resource/strings.ts";
import {
  changeRequestDocument,
  loadChangeRequest,
  maySeeData,
  type StoredChangeRequest,
  unchangedRequest,
} from "./document.ts";
import { linkData, shownData } from "./linked-data.ts";
import { readData, typeNamed } from "./read-request.ts";
import { findRequest } from "./sight.ts";
import { changeRequestStates } from "./types.ts";

const uuid = z.string().refine((text) => keyOf(text) !== undefined, "must be a UUID");

const schema = z.strictObject({
  ext_id: uuid,
  request: nonEmptyLine(255),
  status: z.enum(changeRequestStates),
  submitted_at: z.iso.datetime(),
  submitted_by: nonEmptyLine(255),
  registrant_ext_id: uuid.exactOptional(),
  reviewed_at: z.iso.datetime().exactOptional(),
  reviewed_by: nonEmptyLine(255).exactOptional(),
  reason: prose(1000).exactOptional(),
  data: anyObject,
});

/** What a copy calls the members of a stored request, in the order in which it has them. */
const names = [
  ["request", "type"],
  ["status", "status"],
  ["submitted_at", "submitted_at"],
  ["submitted_by", "submittedBy"],
  ["registrant_ext_id", "registrant"],
  ["reviewed_at", "reviewed_at"],
  ["reviewed_by", "reviewedBy"],
  ["reason", "reason"],
  ["data", "data"],
] as const;

/**
 * The whole of a request, for callers who may see what it asks for. Its references are those of today: where it is restored
 * they are followed anew.
 */
export async function copyRequest(
  settings: Settings,
  caller: Caller,
  extId: string,
): Promise<Outcome<JsonObject>> {
  const found = await findRequest(settings, caller, extId);
  if (!found.ok) return found;
  if (!maySeeData(caller, found.value)) {
    const detail =
      "You may see that this change request is there, but not its data, so it can't be copied for you.";
    return failure({ kind: "authorization", detail });
  }
  const data = await shownData(settings, caller, found.value.body);
  const body: JsonObject = { ...found.value.body, data };
  const members = names.flatMap(([name, own]) =>
    body[own] === undefined ? [] : [[name, body[own]] as const],
  );
  return success({ ext_id: found.value.key, ...Object.fromEntries(members) });
}

/**
 * Records a copied request as it was; one that is there stays as it is. One that may still be applied has to be of a declared type, with
 * data of its form; whether they can be applied is checked then. What was decided elsewhere may have had other types.
 */
export async function restoreRequest(
  settings: Settings,
  caller: Caller,
  copy: unknown,
): Promise<Outcome<void>> {
  const parsed = parseInput(schema, copy);
  if (!parsed.ok) return parsed;
  const wrong = copyFaults(settings, parsed.value);
  if (wrong.length > 0) return failure(invalid(wrong));
  const made = storedOf(parsed.value);
  const changed = await commitChange(settings, caller, {
    decide: async () => {
      if (await loadChangeRequest(settings, made.key)) return success({ parts: [], record: {} });
      const linked = await linkData(settings, made.body.data);
      const { links = {}, expect = [] } = linked.ok ? linked.value : {};
      const document = changeRequestDocument({ ...made, body: { ...made.body, links } });
      const own = { expect: [unchangedRequest(made.key, 0), ...expect], put: [document] };
      const entry = { action: "create", record: `ChangeRequest/${made.key}`, version: 1 } as const;
      return success({ parts: [own, auditPart(settings, caller, entry)], record: {} });
    },
  });
  return changed.ok ? success(undefined) : changed;
}

function copyFaults(
  settings: Settings,
  { request, status, data, submitted_at, reviewed_at }: z.output<typeof schema>,
): readonly FieldError[] {
  const today = settings.today();
  const future = Object.entries({ submitted_at, reviewed_at }).flatMap(([name, at]): readonly FieldError[] =>
    at !== undefined && at.slice(0, 10) > today
      ? [{ field: `/${name}`, code: "future_date", message: `must not be after today, ${today}` }]
      : [],
  );
  if (status === "applied" || status === "rejected") return future;
  const type = typeNamed(settings, request);
  if (!type.ok)
    return [...future, ...errorsOf(type.problem).map((error) => ({ ...error, field: "/request" }))];
  const read = readData(type.value, data);
  return read.ok ? future : [...future, ...errorsOf(read.problem)];
}

function errorsOf({ errors = [] }: Problem): readonly FieldError[] {
  return errors;
}

function storedOf({ ext_id, ...copy }: z.output<typeof schema>): StoredChangeRequest {
  const given: JsonObject = copy;
  const members = names.flatMap(([name, own]) => {
    const value = given[name];
    if (value === undefined) return [];
    return [[own, own === "registrant" ? String(value).toLowerCase() : value] as const];
  });
  const body: unknown = Object.fromEntries(members);
  return { key: ext_id.toLowerCase(), version: 1, body: body as StoredChangeRequest["body"] };
}
