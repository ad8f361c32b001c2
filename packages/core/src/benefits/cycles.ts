import { failure, invalid, type Outcome, success } from "../problem.ts";
import { mayUse } from "../registry/scopes.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Page } from "../registry/types.ts";
import { parseInput } from "../resource/parse-input.ts";
import { auditPart } from "./audit-part.ts";
import { commitChange } from "./commit-change.ts";
import { cycleCollection, cycleDocument, cycleOf, type StoredCycle, storedCycle } from "./cycle-document.ts";
import { cycleSchema } from "./cycle-input.ts";
import { keyOf, unknownExtId } from "./ext-id.ts";
import { keyNamed } from "./find-record.ts";
import { listDocuments } from "./paging.ts";
import { checkMove, cycleMoves } from "./states.ts";
import type { Cycle, CycleState, CycleVerbs, ListRequest } from "./types.ts";

/** The cycles of programs: contract section 6. They hold no personal data, so no consent binds them. */
export function cycleVerbs(settings: Settings, caller: Caller): CycleVerbs {
  return {
    list: (programExtId, request = {}) => listCycles(settings, caller, { programExtId, request }),
    read: (extId) => readCycle(settings, caller, extId),
    create: (body) => createCycle(settings, caller, body),
    move: (extId, to) => moveCycle(settings, caller, { extId, to }),
  };
}

async function listCycles(
  settings: Settings,
  caller: Caller,
  { programExtId, request }: { readonly programExtId: string; readonly request: ListRequest },
): Promise<Outcome<Page<Cycle>>> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "read" });
  if (!allowed.ok) return allowed;
  const program = await keyNamed(settings, "Program", { extId: programExtId });
  if (program === undefined) return failure(unknownExtId("program", programExtId));
  return listDocuments(settings, caller, {
    name: `cycles of ${program}`,
    request,
    query: {
      collection: cycleCollection,
      where: [{ index: "program", anyOf: [program] }],
      sort: { index: "sequence" },
    },
    show: (document) => cycleOf(settings, storedCycle(document)),
  });
}

async function readCycle(settings: Settings, caller: Caller, extId: string): Promise<Outcome<Cycle>> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "read" });
  if (!allowed.ok) return allowed;
  const found = await loadCycle(settings, extId);
  return found ? success(cycleOf(settings, found)) : failure(unknownExtId("cycle", extId));
}

/** The cycle with an `ext_id`, if there is one. */
export async function loadCycle(
  { store }: Pick<Settings, "store">,
  extId: string,
): Promise<StoredCycle | undefined> {
  const key = keyOf(extId);
  const [document] = key === undefined ? [] : await store.get([{ collection: cycleCollection, key }]);
  return document && storedCycle(document);
}

async function createCycle(settings: Settings, caller: Caller, body: unknown): Promise<Outcome<Cycle>> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "write" });
  if (!allowed.ok) return allowed;
  const parsed = parseInput(cycleSchema, body);
  if (!parsed.ok) return parsed;
  const { type: _, ext_id, program: reference, program_ext_id: extId, ...rest } = parsed.value;
  const key = keyOf(ext_id ?? settings.newId()) ?? settings.newId();
  const changed = await commitChange(settings, caller, {
    decide: async () => {
      const existing = await loadCycle(settings, key);
      if (existing) return success({ parts: [], record: cycleOf(settings, existing) });
      const program = await keyNamed(settings, "Program", { reference, extId });
      if (program === undefined) return failure(invalid([unknownProgram(reference)]));
      const cycle: StoredCycle = { key, version: 1, body: { program, ...rest } };
      const own = {
        expect: [
          { kind: "absent", collection: cycleCollection, key } as const,
          { kind: "exists", collection: "Program", key: program } as const,
        ],
        put: [cycleDocument(cycle)],
      };
      const audit = auditPart(settings, caller, { action: "create", record: `Cycle/${key}`, version: 1 });
      return success({ parts: [own, audit], record: cycleOf(settings, cycle) });
    },
  });
  return changed.ok ? success(changed.value.record) : changed;
}

function unknownProgram(reference: string | undefined) {
  const field = reference === undefined ? "/program_ext_id" : "/program";
  return { field, code: "unknown_reference", message: "names no program; create it first" };
}

async function moveCycle(
  settings: Settings,
  caller: Caller,
  { extId, to }: { readonly extId: string; readonly to: CycleState },
): Promise<Outcome<Cycle>> {
  const allowed = mayUse(settings, caller, { type: "Program", access: "write" });
  if (!allowed.ok) return allowed;
  const changed = await commitChange(settings, caller, {
    decide: async () => {
      const found = await loadCycle(settings, extId);
      if (!found) return failure(unknownExtId("cycle", extId));
      const from = found.body.state;
      const move = checkMove(cycleMoves, { what: "cycle", from, to });
      if (!move.ok) return move;
      const { key } = found;
      const version = found.version + 1;
      const moved: StoredCycle = { key, version, body: { ...found.body, state: to } };
      const own = {
        expect: [{ kind: "version", collection: cycleCollection, key, version: found.version } as const],
        put: [cycleDocument(moved)],
      };
      const undo = { state: from };
      const entry = { action: "change", record: `Cycle/${key}`, version, fields: ["state"], undo } as const;
      const audit = auditPart(settings, caller, entry);
      return success({ parts: [own, audit], record: cycleOf(settings, moved) });
    },
  });
  return changed.ok ? success(changed.value.record) : changed;
}
