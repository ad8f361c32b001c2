import type { FieldError } from "../../problem.ts";
import { decideGroup, type GroupChange } from "../../resource/decide-group.ts";
import type { Draft } from "./draft.ts";
import { decideEnrollment, type Footing, type WriteRules } from "./enrollment.ts";

/**
 * Judges a draft by the rules that look at more than the record alone: at what it was, at its program and its beneficiary. Every door
 * comes by here. What a record may be like at all, its schema has judged before.
 */
export function decideDraft(draft: Draft, footing: Footing | undefined, rules: WriteRules): Draft {
  if (!draft.sound) return draft;
  if (footing) return decideEnrollment(draft, footing, rules);
  const faults = faultsOf(draft, rules);
  return faults.length > 0 ? { ...draft, faults: [...draft.faults, ...faults] } : draft;
}

function faultsOf(draft: Draft, rules: WriteRules): readonly FieldError[] {
  const { type, before, record } = draft;
  if (type === "Group") {
    return decideGroup({ ...groupChangeOf(draft, rules.today), trusted: rules.trusted });
  }
  const keepsTarget = type !== "Program" || !before || before.record.targetType === record.targetType;
  return keepsTarget ? [] : [otherTarget];
}

/** The change of a group that a draft makes. Members are the same by their records, whatever they are called. */
export function groupChangeOf({ before, record, links }: Draft, today: string): GroupChange {
  const all = { ...before?.links, ...links };
  const identity = (raw: string) => all[raw] ?? raw;
  return { before: before?.record ?? null, after: record, today, identity };
}

/** Else those who are enrolled already would be of the wrong kind. */
const otherTarget: FieldError = {
  field: "/targetType",
  code: "immutable",
  message: "never changes after create; make another program for the others",
};
