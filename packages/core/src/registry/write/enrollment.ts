import type { JsonObject } from "../../json.ts";
import type { FieldError } from "../../problem.ts";
import { decideMembership } from "../../resource/decide-membership.ts";
import { lastDayOf, programStatus } from "../../resource/derived.ts";
import { typeIn } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { DocumentKey } from "../../store/port.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { referencesOf } from "../record/stored.ts";
import type { Settings } from "../settings.ts";
import type { Draft } from "./draft.ts";
import { datesEnrollment, entersEnrolled } from "./eligibility.ts";

/** What an enrollment stands on: its program and its beneficiary, as far as they are in this store. */
export interface Footing {
  readonly program?: StoredRecord | undefined;
  readonly beneficiary?: StoredRecord | undefined;
}

/** Loads programs and beneficiaries of the memberships among the drafts, by the membership's key. */
export async function loadFootings(
  settings: Settings,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, Footing>> {
  const memberships = drafts.filter(({ type }) => type === "ProgramMembership");
  const targets = new Map<string, StoredRecord>(drafts.map((draft) => [draft.key, asStored(draft)]));
  const keys = memberships.flatMap(targetKeys).filter(({ key }) => !targets.has(key));
  const documents = keys.length > 0 ? await settings.store.get(keys) : [];
  for (const document of documents) if (document) targets.set(document.key, storedRecord(document));
  return new Map(
    memberships.map((draft) => {
      const [program, beneficiary] = ["/program/reference", "/beneficiary/reference"].map((pointer) =>
        targets.get(targetOf(draft, pointer) ?? ""),
      );
      return [draft.key, { program, beneficiary }];
    }),
  );
}

function asStored(draft: Draft): StoredRecord {
  return {
    type: draft.type,
    key: draft.key,
    version: 0,
    record: draft.record,
    links: draft.links,
    feeds: [],
  };
}

function targetOf(draft: Pick<Draft, "type" | "record" | "links">, pointer: string): string | undefined {
  const use = referencesOf(draft.type, draft.record).find((found) => found.pointer === pointer);
  return use && draft.links[use.reference];
}

function targetKeys(draft: Draft): DocumentKey[] {
  return Object.entries(draft.links).map(([raw, key]) => recordKey(typeIn(raw), key));
}

/** By which rules a write is judged. */
export interface WriteRules {
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether it comes from a trusted copy: the rules about what is done today do not count then, those about what may be do. */
  readonly trusted: boolean;
  /** Whether one that was left may be enrolled anew. */
  readonly reopens: boolean;
  /** Whether only the faults count that the change brought. */
  readonly onlyBrought: boolean;
}

/**
 * The rules of an enrollment (contract section 2): its states, its dates, that it never changes hands, and what its
 * program and its beneficiary must be.
 */
export function decideEnrollment(
  draft: Draft,
  footing: Footing,
  { today, trusted, reopens, onlyBrought }: WriteRules,
): Draft {
  const links = { ...draft.before?.links, ...draft.links };
  const identity = (raw: string) => links[raw] ?? raw;
  const former = draft.before?.record ?? null;
  const decided = decideMembership({
    // As one is judged that may be enrolled again.
    before: reopens && former?.status === "exited" ? { ...former, status: "paused" } : former,
    after: draft.record,
    today,
    onlyBrought,
    trusted,
    sameRecord: (a, b) => identity(a) === identity(b),
  });
  const own = decided.ok ? [] : (decided.problem.errors ?? []);
  const around = trusted ? targetErrors(footing) : footingErrors(draft, footing, today);
  const faults = [...draft.faults, ...own, ...around];
  return { ...draft, record: decided.ok ? decided.value : draft.record, faults };
}

/** What must be so on the day on which somebody is enrolled, and may end later. */
function footingErrors(draft: Draft, footing: Footing, today: string): FieldError[] {
  const { program, beneficiary } = footing;
  const errors = dateErrors(draft, program);
  if (draft.before && !entersEnrolled(draft)) return errors;
  if (program && programStatus(program.record as ProgramFields, today) === "ended") {
    errors.push({ field: "/program", code: "program_ended", message: "has ended; choose an active program" });
  }
  if (beneficiary?.record.active === false) {
    errors.push({
      field: "/beneficiary",
      code: "archived",
      message: "is archived; reactivate the record first",
    });
  }
  return [...errors, ...targetErrors(footing)];
}

/** What is so for good: neither the program nor the beneficiary of an enrollment changes, nor whom a program is for. */
function targetErrors({ program, beneficiary }: Footing): FieldError[] {
  if (!program || !beneficiary) return [];
  if (program.record.targetType === targetTypes[beneficiary.type]) return [];
  const message = `is ${article[beneficiary.type]}, but the program is for each ${String(program.record.targetType)}`;
  return [{ field: "/beneficiary", code: "wrong_target_type", message }];
}

/** A day that was taken before the program's end was moved stays as it is. */
function dateErrors(draft: Draft, program: StoredRecord | undefined): FieldError[] {
  const last = program && lastDayOf(program.record);
  if (last === undefined || !datesEnrollment(draft) || String(draft.record.enrollmentDate) <= last) return [];
  const message = `must not be after the program's last day, ${last}; give an earlier day, or have the program extended`;
  return [{ field: "/enrollmentDate", code: "program_ended", message }];
}

type ProgramFields = Parameters<typeof programStatus>[0] & JsonObject;

const targetTypes: Partial<Record<ResourceType, string>> = { Individual: "individual", Group: "group" };
const article: Partial<Record<ResourceType, string>> = { Individual: "an Individual", Group: "a Group" };
