import { type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { Draft } from "../registry/write/draft.ts";
import type { CommitPart } from "../registry/write/followers.ts";
import { parseInput } from "../resource/parse-input.ts";
import { auditPart } from "./audit-part.ts";
import { fundPart, fundWith, loadFund } from "./fund.ts";
import { moneySchema } from "./money.ts";
import type { Money } from "./types.ts";

/** A fund's total that was judged, and what to commit for it: nothing where it is what it was. */
export interface FundChange {
  readonly total: Money;
  readonly parts: readonly CommitPart[];
}

/** Decides to set the total of a program's fund. Fails with `validation` and every fault of it. */
export async function decideFund(
  settings: Settings,
  caller: Caller,
  { program, fund }: { readonly program: string; readonly fund: unknown },
): Promise<Outcome<FundChange>> {
  const parsed = parseInput(moneySchema, fund);
  if (!parsed.ok) return parsed;
  const total = parsed.value;
  const before = await loadFund(settings, program);
  const known = before.fund.total;
  if (known?.value === total.value && known.currency === total.currency) return success({ total, parts: [] });
  const after = fundWith(before.fund, total);
  if (!after.ok) return after;
  const entry = {
    action: "change",
    record: `Fund/${program}`,
    version: before.version + 1,
    fields: ["total"],
    undo: { total: known ? { ...known } : null },
  } as const;
  return success({ total, parts: [fundPart(before, after.value), auditPart(settings, caller, entry)] });
}

/** Judges the funds that programs are written with, each fault told of its draft, and tells what to commit for them. */
export async function withFunds(
  settings: Settings,
  caller: Caller,
  drafts: readonly Draft[],
): Promise<{ readonly drafts: readonly Draft[]; readonly parts: readonly CommitPart[] }> {
  const judged: Draft[] = [];
  const parts: CommitPart[] = [];
  for (const draft of drafts) {
    const { key: program, fund } = draft;
    const decided = fund === undefined ? undefined : await decideFund(settings, caller, { program, fund });
    if (decided?.ok) parts.push(...decided.value.parts);
    const refused = decided && !decided.ok ? (decided.problem.errors ?? []) : [];
    const faults = refused.map((error) => ({ ...error, field: `/fund${error.field}` }));
    judged.push(faults.length > 0 ? { ...draft, faults: [...draft.faults, ...faults] } : draft);
  }
  return { drafts: judged, parts };
}
